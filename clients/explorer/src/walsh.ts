/** Walsh functions in bands, as sottovoce.mechanisms.spectral.walsh has them, and weights of levels as sums of them. */

/** Return how many bands an attribute has: the bits of the next power of two. */
export function bandsOf(size: number): number {
  return Math.max(1, 32 - Math.clz32(size - 1));
}

/** Return the band of a function: number 2^b to 2^(b+1) - 1 are of band b; the constant, number 0, is of none. */
export function bandOf(number: number): number {
  return 31 - Math.clz32(number);
}

/**
 * Return the matrix from weights of levels to weights of functions, levels by functions, that is cheapest.
 *
 * Where the size is no power of two, many sums of functions are the same weights; of those the one is taken whose
 * squares, times the cost of a function of each band, add up to the least. Within a band costs are alike, so the 2^b
 * functions may be turned into the 2^b steps of a tree of halves (Haar functions), over which least squares go up and
 * down the tree once.
 */
export function expansion(size: number, cost: ArrayLike<number>): Float64Array {
  const tree = new Tree(size, cost);
  const count = 1 << bandsOf(size);
  const matrix = new Float64Array(size * count);
  const weights = new Float64Array(size);
  for (let level = 0; level < size; level++) {
    weights.fill(0)[level] = 1;
    matrix.set(tree.functions(weights), level * count);
  }
  return matrix;
}

const CONSTANT_VARIANCE = 1e6; // the constant costs next to nothing

/** Cells in halves of halves: node 1 is the root, nodes 2n and 2n + 1 are the halves of node n, leaves are cells. */
class Tree {
  private readonly bits: number;
  private readonly leaves: number[];
  /** The variance of a step at each node. */
  private readonly steps: Float64Array;
  /** How far off the mean of what lies below a node may be, as a variance; -1 where nothing does. */
  private readonly slack: Float64Array;

  constructor(size: number, cost: ArrayLike<number>) {
    this.bits = bandsOf(size);
    const count = 1 << this.bits;
    this.leaves = Array.from({ length: size }, (_, level) => count + Math.floor((level * count) / size));
    this.steps = new Float64Array(count).map((_, node) => (node ? (1 << bandOf(node)) / cost[bandOf(node)] : 0));
    this.slack = new Float64Array(2 * count).fill(-1);
    for (const leaf of this.leaves) this.slack[leaf] = 0;
    for (let node = count - 1; node > 0; node--) {
      const [left, right, step] = [this.slack[2 * node], this.slack[2 * node + 1], this.steps[node]];
      if (left >= 0 && right >= 0) {
        this.slack[node] = (step * (left + right) + left * right) / (4 * step + left + right);
      } else if (left >= 0 || right >= 0) this.slack[node] = step + Math.max(left, right);
    }
  }

  /** Return weights of levels as weights of functions. */
  functions(weights: Float64Array): Float64Array {
    const count = 1 << this.bits;
    const { slack, steps } = this;
    const means = new Float64Array(2 * count);
    this.leaves.forEach((leaf, level) => (means[leaf] = weights[level]));
    for (let node = count - 1; node > 0; node--) {
      const [left, right, step] = [slack[2 * node], slack[2 * node + 1], steps[node]];
      if (left >= 0 && right >= 0) {
        const both = (2 * step + right) * means[2 * node] + (2 * step + left) * means[2 * node + 1];
        means[node] = both / (4 * step + left + right);
      } else means[node] = means[left >= 0 ? 2 * node : 2 * node + 1];
    }
    const found = new Float64Array(count);
    const sums = new Float64Array(2 * count); // what the steps above a node add up to
    found[0] = sums[1] = (CONSTANT_VARIANCE * means[1]) / (CONSTANT_VARIANCE + slack[1]);
    for (let node = 1; node < count; node++) {
      if (slack[node] < 0) continue;
      const step = this.step(node, means[2 * node] - sums[node], means[2 * node + 1] - sums[node]);
      sums[2 * node] = sums[node] + step;
      sums[2 * node + 1] = sums[node] - step;
      const band = bandOf(node);
      found[(1 << band) + reversed(node - (1 << band), band)] = step / (1 << band);
    }
    for (let band = 1; band < this.bits; band++) transform(found.subarray(1 << band, 2 << band));
    return found;
  }

  /** Return the best step at a node, up on its left and down on its right, if the means there are so far off. */
  private step(node: number, left: number, right: number): number {
    const [one, two, step] = [this.slack[2 * node], this.slack[2 * node + 1], this.steps[node]];
    if (two < 0) return (step * left) / (step + one);
    if (one < 0) return (-step * right) / (step + two);
    if (one === 0 && two === 0) return (left - right) / 2;
    return (step * (two * left - one * right)) / (step * (one + two) + one * two);
  }
}

/** Return a number of so many bits, read from the other end. */
function reversed(number: number, bits: number): number {
  let found = 0;
  for (let bit = 0; bit < bits; bit++) found |= ((number >> bit) & 1) << (bits - 1 - bit);
  return found;
}

/** Put sums with the signs of all Walsh functions in place of numbers. */
function transform(numbers: Float64Array): void {
  for (let half = 1; half < numbers.length; half *= 2) {
    for (let index = 0; index < numbers.length; index++) {
      if (index & half) continue;
      const [one, two] = [numbers[index], numbers[index + half]];
      numbers[index] = one + two;
      numbers[index + half] = one - two;
    }
  }
}
