import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MembersService } from '../src/access/members.service.js';
import type { Member } from '../src/access/member.entity.js';
import { type Connector, ConnectorRegistry } from '../src/connections/connector-registry.service.js';
import { KnowledgeFixture } from './kit/knowledge-fixture.js';
import { anOrganization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

/**
 * A connector with a roster, the system to test it with, and the steps that change permissions. Each step changes only
 * the system. Omit the steps that the system does not support: their tests are skipped.
 */
export interface PermissionsUnderTest {
  connector: Connector;
  settings: Record<string, unknown>;
  secrets?: Record<string, string>;
  /** Verified addresses of four people of the system. `guest` only if the system has guests. */
  people: { insider: string; colleague: string; outsider: string; guest?: string };
  /** Words in single documents. Initially, only the insider can read `closed`, and everyone except guests `open`. */
  words: { closed: string; open: string };
  grant(email: string): Promise<void>;
  revoke(email: string): Promise<void>;
  /** Makes a person a reader of the closed document only through a group or team. */
  grantByGroup?(email: string): Promise<void>;
  leaveGroup?(email: string): Promise<void>;
  /** Moves the closed document to a place that only the outsider may read. */
  move?(): Promise<void>;
  moveBack?(): Promise<void>;
  /** Restricts an ancestor of the closed document to one person. Null removes the restriction. */
  restrictAncestor?(email: string | null): Promise<void>;
  /** Lets the guest read the closed document. */
  grantGuest?(): Promise<void>;
  /** Deactivates or removes the account of a person. */
  leave(email: string): Promise<void>;
  stop?(): Promise<void>;
}

type Person = keyof PermissionsUnderTest['people'];

/** Requirements for every connector with a roster: after each change in the source, only readers find a document. */
export function permissionContract(name: string, prepare: (server: TestServer) => Promise<PermissionsUnderTest>): void {
  describe(`the permissions of "${name}"`, () => {
    let server: TestServer;
    let tried: PermissionsUnderTest;
    let knowledge: KnowledgeFixture;
    let id: string;
    const members: Partial<Record<Person, Member>> = {};

    beforeAll(async () => {
      server = await testServer();
      tried = await prepare(server);
      const registry = server.app.get(ConnectorRegistry);
      if (!registry.find(tried.connector.id)) registry.register(tried.connector);
      const lark = await anOrganization(server);
      knowledge = new KnowledgeFixture(server, lark, await lark.as());
      for (const [person, email] of Object.entries(tried.people))
        members[person as Person] = await server.app.get(MembersService).create(lark.system, { email, name: person });
      const { settings, secrets = {} } = tried;
      ({ id } = await knowledge.connect({ kind: tried.connector.id, slug: 'source', settings, secrets }));
      await knowledge.startSync(id);
      await knowledge.waitUntilComplete(id);
      await refresh();
    });
    afterAll(async () => {
      await tried?.stop?.();
      await server?.close();
    });

    const refresh = async () => {
      await knowledge.sync(id);
      await knowledge.refreshRoster(id);
    };
    const finds = async (word: string) => {
      const readers: Person[] = [];
      for (const person of Object.keys(tried.people) as Person[]) {
        const { passages } = await knowledge.search([id], word, { member: members[person]!.id });
        if (passages.length) readers.push(person);
      }
      expect((await knowledge.search([id], word)).passages, 'an agent without a member').toEqual([]);
      return readers.sort();
    };
    const readersOf = (word: keyof PermissionsUnderTest['words']) => finds(tried.words[word]);

    it('initially, only the insider finds the closed document', async () => {
      expect(await readersOf('closed')).toEqual(['insider']);
      expect(await readersOf('open')).toEqual(['colleague', 'insider', 'outsider']);
    });

    it('a grant reveals the document, and a revocation hides it, also by its id', async () => {
      const { insider, colleague } = tried.people;
      await tried.grant(colleague);
      await refresh();
      expect(await readersOf('closed')).toEqual(['colleague', 'insider']);
      const reader = { member: members.colleague!.id };
      const [{ documentId }] = (await knowledge.search([id], tried.words.closed, reader)).passages;
      expect(await knowledge.call('read', [id], { documentId }, [], reader.member)).toMatchObject({ isError: false });
      await tried.revoke(colleague);
      await refresh();
      expect(await readersOf('closed')).toEqual(['insider']);
      expect(await knowledge.call('read', [id], { documentId }, [], reader.member)).toMatchObject({
        isError: true,
        structured: { code: 'document-not-found' },
      });
      await tried.revoke(insider);
      await refresh();
      expect(await readersOf('closed')).toEqual([]);
      await tried.grant(insider);
      await refresh();
      expect(await readersOf('closed')).toEqual(['insider']);
    });

    it('joining a group gives access, and leaving it ends the access', async ({ skip }) => {
      if (!tried.grantByGroup || !tried.leaveGroup) return skip();
      await tried.grantByGroup(tried.people.colleague);
      await refresh();
      expect(await readersOf('closed')).toEqual(['colleague', 'insider']);
      await tried.leaveGroup(tried.people.colleague);
      await refresh();
      expect(await readersOf('closed')).toEqual(['insider']);
    });

    it('after a move, only the readers of the new place find the document', async ({ skip }) => {
      if (!tried.move || !tried.moveBack) return skip();
      await tried.move();
      await refresh();
      expect(await readersOf('closed')).toEqual(['outsider']);
      await tried.moveBack();
      await refresh();
      expect(await readersOf('closed')).toEqual(['insider']);
    });

    it('a restriction of an ancestor applies in addition to its own', async ({ skip }) => {
      if (!tried.restrictAncestor) return skip();
      const { insider, colleague } = tried.people;
      await tried.grant(colleague);
      await tried.restrictAncestor(colleague);
      await refresh();
      expect(await readersOf('closed')).toEqual(['colleague']);
      await tried.restrictAncestor(tried.people.outsider);
      await refresh();
      expect(await readersOf('closed')).toEqual([]);
      await tried.restrictAncestor(null);
      await tried.revoke(colleague);
      await refresh();
      expect(await readersOf('closed')).toEqual(['insider']);
      expect(insider).not.toBe(colleague);
    });

    it('a guest finds only documents that were shared with the guest', async ({ skip }) => {
      if (!tried.grantGuest) return skip();
      expect(await readersOf('open')).not.toContain('guest');
      await tried.grantGuest();
      await refresh();
      expect(await readersOf('closed')).toEqual(['guest', 'insider']);
      expect(await readersOf('open')).not.toContain('guest');
    });

    it('a person without an active account finds nothing', async () => {
      await tried.leave(tried.people.insider);
      await refresh();
      expect(await readersOf('closed')).not.toContain('insider');
      expect(await readersOf('open')).toEqual(['colleague', 'outsider']);
    });
  });
}
