import { AtlassianDirectory } from './directory.ts';
import type { AtlassianGroup, AtlassianPerson } from './directory.ts';

export interface DataCenterPerson extends AtlassianPerson {
  /** The login, which can be changed, unlike the key. The id of the account is its key. */
  username: string;
}

/** The people and groups of Jira or Confluence Data Center. The id of a group is its name. */
export class DataCenterDirectory extends AtlassianDirectory {
  private readonly accountsByToken = new Map<string, string>();
  private nextNumber = 10_100;

  override addPerson(displayName: string, options: Partial<DataCenterPerson> = {}): DataCenterPerson {
    const accountId = `JIRAUSER${this.nextNumber++}`;
    const username = displayName.toLowerCase().replace(/[^a-z]+/g, '.');
    return super.addPerson(displayName, {
      accountId,
      ...options,
      username,
    } as Partial<DataCenterPerson>) as DataCenterPerson;
  }

  override addGroup(name: string, members: readonly AtlassianPerson[] = []): AtlassianGroup {
    const group = { groupId: name, name, members: new Set(members.map(({ accountId }) => accountId)) };
    this.groups.set(name, group);
    return group;
  }

  /** Creates a personal access token. */
  override issueToken(person: AtlassianPerson): string {
    const token = Buffer.from(`${this.nextNumber++}:a personal access token`).toString('base64');
    this.accountsByToken.set(token, person.accountId);
    return token;
  }

  override revokeTokens(person: AtlassianPerson): void {
    for (const [token, accountId] of this.accountsByToken)
      if (accountId === person.accountId) this.accountsByToken.delete(token);
  }

  override accountOf(authorization: string | undefined): string | null {
    const account = this.accountsByToken.get(/^Bearer (\S+)$/.exec(authorization ?? '')?.[1] ?? '');
    return account && this.isActive(account) ? account : null;
  }

  person(accountId: string): DataCenterPerson | undefined {
    return this.people.get(accountId) as DataCenterPerson | undefined;
  }

  byUsername(username: string | null): DataCenterPerson | undefined {
    return [...this.people.values()]
      .map(({ accountId }) => this.person(accountId)!)
      .find((one) => one.username === username);
  }
}
