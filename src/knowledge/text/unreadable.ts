/** A document that cannot be taken in. The message goes on after its name: "report.pdf is protected by a password". */
export class Unreadable extends Error {}
