/** Walsh functions in bands, as sottovoce.mechanisms.spectral.walsh has them, and weights of levels as sums of them. */

/** Return how many bands an attribute has: the bits of the next power of two. */
export function bandsOf(size: number): number {
  return Math.max(1, 32 - Math.clz32(size - 1));
}

/** Return the band of a function: number 2^b to 2^(b+1) - 1 are of band b; the constant, number 0, is of none. */
export function bandOf(number: number): number {
  return 31 - Math.clz32(number);
}

/** Return the signs of all functions at every level: levels by functions. */
export function walshSigns(size: number): Float64Array {
  const bits = bandsOf(size);
  const count = 1 << bits;
  const signs = new Float64Array(size * count);
  for (let level = 0; level < size; level++) {
    const cell = Math.floor((level * count) / size);
    const row = level * count;
    signs[row] = 1;
    for (let band = 0; band < bits; band++) {
      const sign = (cell >> (bits - 1 - band)) & 1 ? -1 : 1;
      for (let number = 0; number < 1 << band; number++) {
        signs[row + (1 << band) + number] = sign * signs[row + number];
      }
    }
  }
  return signs;
}

/**
 * Return the matrix from weights of levels to weights of functions, levels by functions, that is cheapest.
 *
 * Where the size is no power of two, many sums of functions are the same weights; of those the one is taken whose
 * squares, times the cost of each function, add up to the least.
 */
export function expansion(size: number, cost: ArrayLike<number>): Float64Array {
  const signs = walshSigns(size);
  const count = signs.length / size;
  if (count === size) return signs.map((sign) => sign / size);
  const scaled = signs.map((sign, place) => sign / cost[place % count]);
  const matrix = new Float64Array(size * size);
  for (let row = 0; row < size; row++) {
    for (let column = 0; column <= row; column++) {
      let sum = 0;
      const [here, there] = [row * count, column * count];
      for (let number = 0; number < count; number++) sum += signs[here + number] * scaled[there + number];
      matrix[row * size + column] = sum;
    }
  }
  return solve(matrix, scaled, size, count);
}

/** Return X with M X = B, for a positive definite matrix of which the lower half is given; by Cholesky, in place. */
function solve(matrix: Float64Array, right: Float64Array, size: number, width: number): Float64Array {
  for (let row = 0; row < size; row++) {
    for (let column = 0; column <= row; column++) {
      let sum = matrix[row * size + column];
      for (let k = 0; k < column; k++) sum -= matrix[row * size + k] * matrix[column * size + k];
      matrix[row * size + column] = row === column ? Math.sqrt(sum) : sum / matrix[column * size + column];
    }
  }
  const found = right.slice();
  const eliminate = (row: number, other: number, by: number) => {
    for (let k = 0; k < width; k++) found[row * width + k] -= by * found[other * width + k];
  };
  for (const downward of [true, false]) {
    for (let step = 0; step < size; step++) {
      const row = downward ? step : size - 1 - step;
      if (downward) for (let other = 0; other < row; other++) eliminate(row, other, matrix[row * size + other]);
      else for (let other = row + 1; other < size; other++) eliminate(row, other, matrix[other * size + row]);
      for (let k = 0; k < width; k++) found[row * width + k] /= matrix[row * size + row];
    }
  }
  return found;
}
