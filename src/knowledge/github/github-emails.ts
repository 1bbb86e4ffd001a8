import { z } from 'zod';
import type { LogService } from '../../platform/telemetry/log.service.js';
import { pagesByCursor } from '../source-kit/source-pages.js';
import { isSourceFault } from '../source-kit/source-request.error.js';
import type { GithubApi } from './github-api.js';

export interface GithubPerson {
  id: number;
  node: string;
  login: string;
}

const peoplePerQuery = 100;
const verifiedEmails = `query($ids: [ID!]!, $login: String!) { nodes(ids: $ids) {
  ... on User { databaseId organizationVerifiedDomainEmails(login: $login) } } }`;
const samlIdentities = `query($login: String!, $after: String) { organization(login: $login) { samlIdentityProvider {
  externalIdentities(first: 100, after: $after) {
    pageInfo { hasNextPage endCursor } nodes { user { databaseId } samlIdentity { nameId } } } } } }`;

/**
 * Addresses in domains that the organization has verified, or else the names of people at its SAML provider. The address
 * in a public profile is not used, because its owner can enter any address.
 */
export async function githubVerifiedEmails(
  api: GithubApi,
  people: ReadonlyMap<number, GithubPerson>,
  peopleByOrganization: ReadonlyMap<string, ReadonlySet<number>>,
  log: LogService,
): Promise<Map<number, string>> {
  const emails = new Map<number, string>();
  for (const [organization, ids] of peopleByOrganization) {
    const missing = () => [...ids].filter((id) => !emails.has(id));
    for (const read of [
      () =>
        readVerified(
          api,
          organization,
          missing().map((id) => people.get(id)!),
          emails,
        ),
      () => readSaml(api, organization, new Set(missing()), emails),
    ]) {
      if (!missing().length) continue;
      try {
        await read();
      } catch (error) {
        if (!isSourceFault(error, 'forbidden', 'missing', 'refused')) throw error;
        log.info({ organization, reason: error.message }, 'GitHub does not show verified addresses');
      }
    }
  }
  return emails;
}

async function readVerified(
  api: GithubApi,
  login: string,
  people: GithubPerson[],
  emails: Map<number, string>,
): Promise<void> {
  const node = z.object({ databaseId: z.number(), organizationVerifiedDomainEmails: z.array(z.string()) });
  const data = z.object({ nodes: z.array(node.nullable()) });
  for (let at = 0; at < people.length; at += peoplePerQuery) {
    const ids = people.slice(at, at + peoplePerQuery).map((one) => one.node);
    const { nodes } = await api.query(verifiedEmails, { ids, login }, data, true);
    for (const one of nodes) if (one) add(emails, one.databaseId, one.organizationVerifiedDomainEmails[0]);
  }
}

async function readSaml(
  api: GithubApi,
  login: string,
  wanted: ReadonlySet<number>,
  emails: Map<number, string>,
): Promise<void> {
  const identity = z.object({
    user: z.object({ databaseId: z.number() }).nullable(),
    samlIdentity: z.object({ nameId: z.string().nullish() }).nullish(),
  });
  const identities = z.object({
    pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() }),
    nodes: z.array(identity.nullable()),
  });
  const data = z.object({
    organization: z
      .object({ samlIdentityProvider: z.object({ externalIdentities: identities }).nullable() })
      .nullable(),
  });
  const read = async (after: string | null) => {
    const { organization } = await api.query(samlIdentities, { login, after }, data);
    const found = organization?.samlIdentityProvider?.externalIdentities;
    const next = found?.pageInfo.hasNextPage ? (found.pageInfo.endCursor ?? null) : null;
    return { items: found?.nodes ?? [], next };
  };
  for await (const { items } of pagesByCursor(read))
    for (const one of items)
      if (one?.user && wanted.has(one.user.databaseId)) add(emails, one.user.databaseId, one.samlIdentity?.nameId);
}

function add(emails: Map<number, string>, id: number, address: string | null | undefined): void {
  const email = address?.trim().toLowerCase();
  if (email && /^[^\s@]{1,64}@[^\s@]{1,253}$/.test(email)) emails.set(id, email);
}
