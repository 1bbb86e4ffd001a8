/** A file that exists and cannot be read. The message completes "the file …" and is for people. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}
