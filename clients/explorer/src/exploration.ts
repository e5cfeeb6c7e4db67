/** What the page is given: written by sottovoce.views.explorer.document, described in docs/files.md. */

const FORMAT = "sottovoce-exploration-3";
const OTHER_FORMAT = "The model was written for another version of this page.";
const TOO_OLD =
  "This browser cannot unpack the model: that takes Chrome or Edge 86, Safari 16.4, Firefox 113, or a newer one.";

/** The type and shape of an array; its numbers stand in `numbers`, in turn. */
export interface Packed {
  readonly array: "float16" | "float32" | "float64";
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

/**
 * What errors follow from. Functions are numbered over all attributes, one after the other; of matrices by two of them
 * the upper triangle is given, row by row.
 */
export interface Errors {
  /** Per attribute, levels by functions. */
  readonly functions: readonly Packed[];
  /** Per attribute, a root of the covariance of its levels' shares: levels by columns. */
  readonly roots: readonly Packed[];
  /** The variance of the mean of a product of two functions, and how far a cautious mean lies from the model's. */
  readonly posterior: Packed;
  readonly gap: Packed;
  /** Of its variance before any report, the part that reports could not take away. */
  readonly left: Packed;
  /** How the prior of pairs falls with each function. */
  readonly falls: Packed;
  /** By two attributes, the first before the second: the variance outside their functions. */
  readonly rest: Packed;
  /** How the prior of triples falls with each function. */
  readonly triple_falls: Packed;
  /** Variances before any report: of a single attribute, of a pair, of it outside the functions, and of a triple. */
  readonly single_prior: number;
  readonly pair_prior: number;
  readonly rest_prior: number;
  readonly triple: number;
}

export interface Intervals {
  readonly level: number;
  /** How many standard errors an interval reaches, before it is lopsided. */
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
  readonly format: typeof FORMAT;
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
    if (exploration.format !== FORMAT) throw new Error(OTHER_FORMAT);
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
    const width = { float16: 2, float32: 4, float64: 8 }[array];
    const count = shape.reduce((product, side) => product * side, 1);
    const cell = new DataView(new ArrayBuffer(8));
    const numbers = new Float64Array(count);
    for (let index = 0; index < count; index++) {
      for (let plane = 0; plane < width; plane++) cell.setUint8(plane, this.bytes[this.place + plane * count + index]);
      if (array === "float64") numbers[index] = cell.getFloat64(0, true);
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
