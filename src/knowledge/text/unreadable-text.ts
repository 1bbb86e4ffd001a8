/** The message completes "the document …". It is shown to people as the message of an `UnreadableDocument`. */
export class UnreadableText extends Error {
  override readonly name = 'UnreadableText';
}
