/** What became of one exchange: whether anything of it was put on the wire. */
export interface Journey {
  isSent: boolean;
  /** Where only another process knows: `isSent` is true until this says otherwise. */
  settling?: Promise<void>;
}
