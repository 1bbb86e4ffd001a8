/** What is there and cannot be taken in. The message completes "the file …" and is for people. */
export class UnreadableFile extends Error {
  override readonly name = 'UnreadableFile';
}
