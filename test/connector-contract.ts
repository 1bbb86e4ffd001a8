import { setTimeout as after } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { Ajv } from 'ajv';
import { documentsContext } from './kit/documents-context.js';
import { silentLog } from './kit/logs.js';
import type { Connector } from '../src/connections/connector-registry.service.js';
import type { SourceDocument } from '../src/connections/knowledge-source.port.js';
import type { Connection } from '../src/connections/connection.entity.js';
import { newId } from '../src/platform/crypto/ids.js';
import type { OutboundHttpClient } from '../src/platform/http/outbound-http-client.service.js';
import type { JsonObject } from '../src/platform/json/strict-json.js';

/** A connector, the system to test it with (real or local), and test data. */
export interface ConnectorUnderTest {
  kind: Connector;
  outgoing: OutboundHttpClient;
  settings: Record<string, unknown>;
  secrets?: Record<string, string>;
  /** Settings that fail: a wrong address, a missing folder. */
  brokenSettings: Record<string, unknown>;
  /** Rejected credentials, for connectors whose settings cannot be wrong. */
  brokenSecrets?: Record<string, string>;
  /** Changes the text of one document in the connected system. */
  change?: () => Promise<void>;
  /** Removes one document from the connected system. */
  remove?: () => Promise<void>;
  /** Tools to call, with harmless arguments. */
  calls?: Record<string, JsonObject>;
}

/**
 * Requirements for every connector. Call `connectorContract('rss', async () => ({ kind, … }))` in a test file. The
 * system behind the connector must be a real one, or a local one that speaks the real protocol.
 */
export function connectorContract(name: string, prepare: () => Promise<ConnectorUnderTest>): void {
  describe(`the connector "${name}"`, () => {
    let tried: ConnectorUnderTest;
    beforeAll(async () => {
      tried = await prepare();
    });

    const context = (settings = tried.settings, signal: AbortSignal = AbortSignal.timeout(20_000)) => {
      const isBroken = settings === tried.brokenSettings;
      const secrets = { ...tried.secrets, ...(isBroken && tried.brokenSecrets) };
      const { documents, pass } = documentsContext({
        connection: aConnection(tried.kind, settings),
        settings,
        secret: (secret) => secrets[secret],
        outgoing: tried.outgoing,
        signal,
        log: silentLog,
      });
      return { documents, skipped: pass.skipped };
    };
    const walk = async () => {
      const { documents, skipped } = context();
      const found: (SourceDocument & { body: string | Uint8Array })[] = [];
      for await (const document of tried.kind.documents!(documents)) {
        found.push({
          ...document,
          body: typeof document.content === 'function' ? await document.content() : document.content,
        });
      }
      return { found, skipped };
    };
    const showsNoSecret = (value: unknown) => {
      for (const secret of Object.values(tried.secrets ?? {})) expect(JSON.stringify(value)).not.toContain(secret);
    };

    it('describes itself for the catalog', () => {
      const { id, title, setUp, fields, offers, pullCadence, webhook } = tried.kind;
      expect(id).toMatch(/^[a-z][a-z0-9-]{0,31}$/);
      expect(title.length).toBeGreaterThan(2);
      expect(setUp.length).toBeGreaterThan(20);
      expect(new Set(fields.map((field) => field.name)).size).toBe(fields.length);
      for (const field of fields) {
        expect(field.label).not.toBe('');
        if (field.type === 'choice') expect(field.options).toBeDefined();
      }
      expect(Boolean(webhook)).toBe(Boolean(tried.kind.receive));
      if (webhook) {
        expect(webhook.setUp.length).toBeGreaterThan(20);
        expect(fields.find(({ name }) => name === webhook.secretField)).toMatchObject({ type: 'secret' });
      }
      const known = new Set(fields.map((field) => field.name));
      for (const entered of [...Object.keys(tried.settings), ...Object.keys(tried.secrets ?? {})])
        expect(known).toContain(entered);
      expect(offers.includes('tools')).toBe(Boolean(tried.kind.tools && tried.kind.execute));
      if (tried.kind.documents) {
        expect(offers).toContain('knowledge');
        expect(pullCadence ?? '15m').toMatch(/^\d+[smhd]$/);
      }
    });

    it('passes verification with valid settings', async () => {
      const verification = await tried.kind.verify(context().documents);
      expect(verification.status).toBe('connected');
      showsNoSecret(verification);
    });

    it('explains why verification fails', async () => {
      const failed = await tried.kind.verify(context(tried.brokenSettings).documents).catch((error: unknown) => {
        expect(error).toBeInstanceOf(Error);
        return { status: 'failed' as const, reason: (error as Error).message };
      });
      expect(failed.status).toBe('failed');
      expect(failed.reason?.length).toBeGreaterThan(10);
      showsNoSecret(failed);
    });

    it('ends when its signal aborts', async () => {
      const stopped = context(tried.settings, AbortSignal.abort(new Error('aborted'))).documents;
      const work = (async () => {
        if (tried.kind.documents) for await (const document of tried.kind.documents(stopped)) void document;
        else await tried.kind.verify(stopped);
        return 'ended';
      })().catch(() => 'ended');
      await expect(Promise.race([work, after(5000, 'still going', { ref: false })])).resolves.toBe('ended');
    });

    it('returns valid documents, and the same ones again', async () => {
      if (!tried.kind.documents) return;
      const { found } = await walk();
      expect(found.length).toBeGreaterThan(0);
      expect(new Set(found.map(({ externalId }) => externalId)).size).toBe(found.length);
      for (const { externalId, kind, title, mediaType, body, fingerprint, groups, url, updatedAt } of found) {
        expect(externalId).not.toBe('');
        expect(['code', 'ticket', 'doc', 'message']).toContain(kind);
        expect(title).not.toBe('');
        expect(mediaType).toMatch(/^[\w.+-]+\/[\w.+-]+/);
        expect(body.length).toBeGreaterThan(0);
        expect(fingerprint).not.toBe('');
        expect(groups === undefined || groups === null || Array.isArray(groups)).toBe(true);
        if (url !== undefined) expect(URL.canParse(url)).toBe(true);
        if (updatedAt !== undefined) expect(updatedAt.getTime()).not.toBeNaN();
      }
      showsNoSecret(found);
      const again = await walk();
      const marks = (documents: typeof found) =>
        documents.map(({ externalId, fingerprint }) => [externalId, fingerprint]);
      expect(marks(again.found)).toEqual(marks(found));
    });

    it('gives a changed document a new fingerprint and omits a removed one', async () => {
      if (!tried.kind.documents) return;
      const marks = async () =>
        new Map((await walk()).found.map(({ externalId, fingerprint }) => [externalId, fingerprint]));
      const before = await marks();
      if (tried.change) {
        await tried.change();
        const after = await marks();
        expect([...after.keys()].sort()).toEqual([...before.keys()].sort());
        expect([...after].filter(([id, fingerprint]) => before.get(id) !== fingerprint)).toHaveLength(1);
      }
      if (tried.remove) {
        await tried.remove();
        expect((await marks()).size).toBe(before.size - 1);
      }
    });

    it('fails instead of returning fewer documents when the system is down', async () => {
      if (!tried.kind.documents) return;
      const { documents } = context(tried.brokenSettings);
      const work = (async () => {
        for await (const document of tried.kind.documents!(documents)) void document;
      })();
      await expect(work).rejects.toThrow();
    });

    it('names an audience that its roster lists for every document', async () => {
      const { documents, roster } = tried.kind;
      if (!roster || !documents) return;
      const accounts = new Set<string>();
      const groups = new Set<string>();
      const audiences = new Set<string>();
      const namedGroups: string[] = [];
      for await (const entry of roster(context().documents)) {
        showsNoSecret(entry);
        if ('account' in entry) {
          expect(accounts).not.toContain(entry.account.id);
          accounts.add(entry.account.id);
        } else if ('group' in entry) groups.add(entry.group.id);
        else {
          const { id, title, rule, readers, url } = entry.audience;
          expect(audiences).not.toContain(id);
          audiences.add(id);
          expect(id.length).toBeLessThanOrEqual(300);
          expect([title, rule]).not.toContain('');
          if (url !== undefined) expect(URL.canParse(url)).toBe(true);
          if (typeof readers === 'string') continue;
          expect(readers.length).toBeGreaterThan(0);
          namedGroups.push(...readers.flatMap((set) => set.groups ?? []));
        }
      }
      expect(accounts.size).toBeGreaterThan(0);
      expect(namedGroups.filter((id) => !groups.has(id))).toEqual([]);
      const { found } = await walk();
      for (const { audience } of found) expect(audiences).toContain(audience);
    });

    it('lists the containers that can be chosen', async () => {
      const { containers, fields } = tried.kind;
      expect(Boolean(containers)).toBe(fields.some(({ type }) => type === 'containers'));
      if (!containers) return;
      const listed = await containers(context().documents);
      expect(listed.length).toBeGreaterThan(0);
      expect(new Set(listed.map(({ id }) => id)).size).toBe(listed.length);
      for (const { title } of listed) expect(title).not.toBe('');
      showsNoSecret(listed);
    });

    it('continues a pass at its checkpoints, without missing documents', async () => {
      if (!tried.kind.documents) return;
      const { found } = await walk();
      const all = found.map(({ externalId }) => externalId);
      const { documents } = context();
      const seen: string[] = [];
      const reached: JsonObject[] = [];
      const stopped = {
        ...documents,
        checkpoint: (progress: JsonObject) => {
          reached.push(structuredClone(progress));
          return Promise.reject(new Error('interrupted'));
        },
      };
      const interrupted = (async () => {
        for await (const { externalId } of tried.kind.documents!(stopped)) seen.push(externalId);
      })();
      await interrupted.catch((error: Error) => expect(error.message).toBe('interrupted'));
      if (reached.length) {
        const rest = { ...context().documents, progress: reached[0] };
        for await (const { externalId } of tried.kind.documents(rest)) seen.push(externalId);
      }
      expect([...new Set(seen)].sort()).toEqual(all.sort());
    });

    it('refuses webhooks that its source has not sent', async () => {
      if (!tried.kind.receive) return;
      for (const body of ['', '{}', 'not JSON', '[]'])
        expect(await tried.kind.receive(context().documents, { headers: {}, body: Buffer.from(body) })).toBeNull();
    });

    it('defines its tools completely and consistently', async () => {
      if (!tried.kind.tools) return;
      const tools = await tried.kind.tools(context().documents);
      const ajv = new Ajv({ strict: false });
      for (const { name, inputSchema, outputSchema } of tools) {
        expect(name).toMatch(/^[A-Za-z0-9_./-]{1,64}$/);
        expect(inputSchema.type).toBe('object');
        for (const schema of [inputSchema, outputSchema]) if (schema) ajv.compile({ ...schema, $schema: undefined });
      }
      expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
      expect(await tried.kind.tools(context().documents)).toEqual(tools);
      for (const called of Object.keys(tried.calls ?? {})) expect(tools.map(({ name }) => name)).toContain(called);
    });

    it('executes its tools and marks results as external text', async () => {
      for (const [tool, args] of Object.entries(tried.calls ?? {})) {
        const tools = await tried.kind.tools!(context().documents);
        const { inputSchema, outputSchema = null } = tools.find(({ name }) => name === tool)!;
        const result = await tried.kind.execute!(context().documents, {
          operation: 'tool',
          tool,
          inputSchema,
          outputSchema,
          arguments: args,
          idempotencyKey: newId(),
        });
        expect(result.isError).toBe(false);
        expect(result.content.length).toBeGreaterThan(0);
        expect(result.outside).toBe(true);
        showsNoSecret(result);
      }
    });
  });
}

const aConnection = (kind: Connector, settings: Record<string, unknown>): Connection => ({
  tenantId: newId(),
  id: newId(),
  kind: kind.id,
  name: kind.title,
  slug: kind.id,
  settings,
  revision: 1,
  status: 'connected',
  statusReason: null,
  verifiedAt: null,
  pausedAt: null,
  removedAt: null,
  createdAt: new Date(),
  changedAt: null,
  changedBy: null,
  resultRules: null,
});
