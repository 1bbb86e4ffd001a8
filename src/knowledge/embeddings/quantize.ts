/** A vector with one signed byte per component, and the signs of its components as "0" and "1". */
export interface QuantizedVector {
  bytes: Buffer;
  bits: string;
}

export function quantize(vector: readonly number[] | Float32Array): QuantizedVector {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  const bytes = Buffer.alloc(vector.length);
  let bits = '';
  for (let index = 0; index < vector.length; index++) {
    bytes.writeInt8(Math.round((vector[index] / largest) * 127), index);
    bits += vector[index] > 0 ? '1' : '0';
  }
  return { bytes, bits };
}

/** The cosine of two vectors with the same dimensions. It does not depend on their scale, so the bytes need no factor. */
export function cosine(one: Float32Array | readonly number[], other: Buffer): number {
  let product = 0;
  let ownSquares = 0;
  let otherSquares = 0;
  for (let index = 0; index < one.length; index++) {
    const value = (other[index] << 24) >> 24;
    product += one[index] * value;
    ownSquares += one[index] * one[index];
    otherSquares += value * value;
  }
  const norm = Math.sqrt(ownSquares * otherSquares);
  return norm ? product / norm : 0;
}
