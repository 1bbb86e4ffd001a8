/** Thrown where a text is read. Its message completes "the document …", and reaches people as that of an `UnreadableDocument`. */
export class UnreadableText extends Error {
  override readonly name = 'UnreadableText';
}
