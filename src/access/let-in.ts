export interface UsedLink {
  kind: 'reset' | 'invitation';
  maker: string;
  member: string;
}

/**
 * Whoever makes a link that lets somebody in could use it themselves. So for a day its maker and whom it let in may be one
 * person, whichever of them then makes another link or asks for something.
 */
export class LetIn {
  constructor(private readonly links: readonly UsedLink[]) {}

  /** Members who are perhaps one person with any of these, by links of these kinds; these themselves left out. */
  perhapsOneWith(memberIds: readonly string[], kinds: readonly UsedLink['kind'][]): string[] {
    const links = this.links.filter(({ kind }) => kinds.includes(kind));
    const found = new Set(memberIds);
    // a set that grows while it is walked through is walked through to its new end
    for (const id of found)
      for (const { maker, member } of links) {
        if (maker === id) found.add(member);
        if (member === id) found.add(maker);
      }
    return [...found].filter((id) => !memberIds.includes(id));
  }
}
