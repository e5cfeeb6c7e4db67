/** What the page is given: written by sottovoce.views.explorer.document, described in docs/files.md. */

const TOO_OLD =
  "This browser cannot unpack the model: that takes Chrome or Edge 86, Safari 16.4, Firefox 113, or a newer one.";

/** The type and shape of an array; its numbers stand in `numbers`, in turn. */
export interface Packed {
  readonly array: "uint32" | "float16" | "float32" | "float64";
  readonly shape: readonly number[];
}

/** The mixture: component weights, and for each attribute a row of its levels' probabilities per component. */
export interface Fitted {
  readonly weights: Packed;
  readonly factors: readonly Packed[];
}

interface Common {
  readonly name: string;
  /** The name as SQL writes it. */
  readonly sql: string;
  /** Whether the last level stands for "no answer". */
  readonly nullable: boolean;
}

export interface Ordinal extends Common {
  readonly kind: "ordinal";
  readonly low: number;
  readonly high: number;
}

export interface Numeric extends Common {
  readonly kind: "numeric";
  readonly boundaries: readonly number[];
}

export interface Categorical extends Common {
  readonly kind: "categorical";
  readonly values: readonly string[];
}

export type Ordered = Ordinal | Numeric;
export type Attribute = Ordered | Categorical;

/** What errors follow from: bands are numbered over all attributes and functions likewise, the constant first. */
export interface Errors {
  /**
   * Variances by bands, the upper half row by row: of the model, from the reports' noise and of what is wrong besides,
   * and of what was measured (0 if nobody was asked).
   */
  readonly noise: Packed;
  readonly bias: Packed;
  readonly measured: Packed;
  /** Which coefficients lie apart from the cautious correction, by numbers of functions, and how far. */
  readonly rows: Packed;
  readonly columns: Packed;
  readonly gap: Packed;
  /** The prior's variances of single functions by band, the factors of bands in pairs, of functions in triples. */
  readonly single: Packed;
  readonly pair: Packed;
  readonly triple: Packed;
  /** How much errors count that stand where people stand; in pairs; and in pairs with one of the attributes listed. */
  readonly coherent: number;
  readonly coherent_pair: number;
  readonly coherent_listed: number;
  readonly listed: readonly number[];
}

export interface Intervals {
  readonly level: number;
  /** How many standard errors an interval reaches to either side. */
  readonly factor: number;
  readonly includes: string;
}

/** How strongly two attributes go together. */
export interface Pair {
  readonly places: readonly [number, number];
  readonly strength: number;
  readonly low: number;
  readonly high: number;
  /** Whether it can be told from chance. */
  readonly told: boolean;
  readonly evidence: number | null;
}

export interface Exploration {
  readonly format: "sottovoce-exploration-2";
  readonly title: string;
  readonly reports: number;
  readonly population: number;
  readonly attributes: readonly Attribute[];
  readonly mixture: Fitted;
  /** By attribute's place, a weight for every level. */
  readonly calibration: Readonly<Record<string, Packed>>;
  /** Null if the model knows nothing of its error. */
  readonly errors: Errors | null;
  /** All arrays, compressed: the mixture's in order, then the calibration's, then those of errors. */
  readonly numbers: string;
  readonly intervals: Intervals;
  /** What evidence is called from some number on, the highest first. */
  readonly evidence: readonly (readonly [number, string])[];
  /** Those that can be told from chance first, the strongest first. */
  readonly pairs: readonly Pair[];
  /** What should be known before anything is believed. */
  readonly caveats: readonly string[];
  readonly certificate: readonly string[];
  readonly collection: string;
  readonly mechanism: string;
}

/** Gives the numbers of all arrays, in the order in which they were written. */
export class Numbers {
  private place = 0;

  private constructor(private readonly bytes: Uint8Array) {}

  /** Return the reader of an exploration's arrays; where that fails, the error is for the user to read. */
  static async of(exploration: Exploration): Promise<Numbers> {
    if (!("DecompressionStream" in window)) throw new Error(TOO_OLD);
    try {
      const packed = Uint8Array.from(atob(exploration.numbers), (character) => character.charCodeAt(0));
      const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
      return new Numbers(new Uint8Array(await new Response(stream).arrayBuffer()));
    } catch {
      throw new Error("The model's numbers are damaged."); // browsers say no more than that something failed
    }
  }

  /** Return the next array: of its numbers all lowest bytes stand first, then all next ones, and so on. */
  next({ array, shape }: Packed): Float64Array {
    const width = { uint32: 4, float16: 2, float32: 4, float64: 8 }[array];
    const count = shape.reduce((product, side) => product * side, 1);
    const cell = new DataView(new ArrayBuffer(8));
    const numbers = new Float64Array(count);
    for (let index = 0; index < count; index++) {
      for (let plane = 0; plane < width; plane++) cell.setUint8(plane, this.bytes[this.place + plane * count + index]);
      if (array === "float64") numbers[index] = cell.getFloat64(0, true);
      else if (array === "uint32") numbers[index] = cell.getUint32(0, true);
      else numbers[index] = array === "float32" ? cell.getFloat32(0, true) : half(cell.getUint16(0, true));
    }
    this.place += width * count;
    return numbers;
  }
}

/** Return the number that 16 bits of IEEE 754 stand for; probabilities are finite and not negative. */
function half(bits: number): number {
  const exponent = bits >> 10;
  const fraction = bits & 0x3ff;
  return exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : (2 ** -14 * fraction) / 1024;
}
