export interface AtlassianPerson {
  accountId: string;
  displayName: string;
  email: string;
  /** Whether the profile shows the e-mail address to others. */
  showsEmail: boolean;
  isActive: boolean;
  accountType: 'atlassian' | 'app' | 'customer';
}

export interface AtlassianGroup {
  groupId: string;
  name: string;
  members: Set<string>;
}

/** The people and groups of a site, which Jira and Confluence share. */
export class AtlassianDirectory {
  readonly people = new Map<string, AtlassianPerson>();
  readonly groups = new Map<string, AtlassianGroup>();
  /** Account ids by `email:token`. */
  private readonly accountsByCredential = new Map<string, string>();
  private count = 0;

  addPerson(displayName: string, options: Partial<AtlassianPerson> = {}): AtlassianPerson {
    const number = String(++this.count);
    const person: AtlassianPerson = {
      accountId: `712020:${number.padStart(8, '0')}-0000-4000-8000-000000000000`,
      displayName,
      email: `${displayName.toLowerCase().replace(/[^a-z]+/g, '.')}@lark.example`,
      showsEmail: true,
      isActive: true,
      accountType: 'atlassian',
      ...options,
    };
    this.people.set(person.accountId, person);
    return person;
  }

  addGroup(name: string, members: readonly AtlassianPerson[] = []): AtlassianGroup {
    const groupId = `b0000000-0000-4000-8000-${String(++this.count).padStart(12, '0')}`;
    const group = { groupId, name, members: new Set(members.map(({ accountId }) => accountId)) };
    this.groups.set(groupId, group);
    return group;
  }

  /** Creates an API token of a person. */
  issueToken(person: AtlassianPerson): string {
    const token = `ATATT3xFfGF0${String(++this.count).padStart(24, 'k')}=7E1A2B3C`;
    this.accountsByCredential.set(`${person.email}:${token}`, person.accountId);
    return token;
  }

  revokeTokens(person: AtlassianPerson): void {
    for (const [credential, accountId] of this.accountsByCredential)
      if (accountId === person.accountId) this.accountsByCredential.delete(credential);
  }

  /** The account of an `Authorization: Basic` header. Null if it is invalid. */
  accountOf(authorization: string | undefined): string | null {
    const encoded = /^Basic (\S+)$/.exec(authorization ?? '')?.[1];
    if (!encoded) return null;
    const account = this.accountsByCredential.get(Buffer.from(encoded, 'base64').toString('utf8'));
    return account && this.isActive(account) ? account : null;
  }

  isActive(accountId: string): boolean {
    return this.people.get(accountId)?.isActive ?? false;
  }

  isMember(groupId: string, accountId: string): boolean {
    return this.groups.get(groupId)?.members.has(accountId) ?? false;
  }
}
