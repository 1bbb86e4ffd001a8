import { InvitationsService } from '../../src/access/invitations.service.js';
import { PasswordsService } from '../../src/access/passwords.service.js';
import type { PopulatedOrganization } from './populated-organization.js';
import { aProduct, newVerifier } from './product.js';
import type { TestServer } from './server.js';

interface PlainPage {
  address: string;
  /** Open to everyone with the address, signed in or not. */
  isOpen?: boolean;
}

const signedInPage = (address: string) => () => ({ address });
const publicPage = (address: string) => ({ address, isOpen: true });
/** All pages that work without JavaScript, by route, with an example address. */
export const plainPages: Record<
  string,
  (there: PopulatedOrganization, server: TestServer) => PlainPage | Promise<PlainPage>
> = {
  '/account': signedInPage('/account'),
  '/account/ways-in': signedInPage('/account/ways-in'),
  '/approvals/:id': ({ ids }) => ({ address: `/approvals/${ids.pending}` }),
  '/assistants': signedInPage('/assistants'),
  '/configurations/:id/assistants': ({ fixture }) => ({
    address: `/configurations/${fixture.configurationId}/assistants`,
  }),
  '/confirm': signedInPage('/confirm?next=/device'),
  '/connected': signedInPage('/connected'),
  '/connections': signedInPage('/connections'),
  '/consent/:id': async ({ fixture }, server) => ({
    address: (await aProduct(server, fixture.organization)).authorizePath(newVerifier()),
  }),
  '/device': signedInPage('/device'),
  '/invitation': async ({ fixture }) =>
    publicPage((await fixture.get(InvitationsService).invite(fixture.organization.system, invitedMember)).url),
  '/problems': () => publicPage('/problems'),
  '/problems/:code': () => publicPage('/problems/forbidden'),
  '/reset': async ({ fixture }) =>
    publicPage((await fixture.get(PasswordsService).issueReset(fixture.organization.system, fixture.reviewer.id)).url),
  '/sign-in': ({ fixture }) => publicPage(`/sign-in?organization=${fixture.organization.tenant.slug}`),
  '/sign-out': signedInPage('/sign-out'),
  '/tools': signedInPage('/tools'),
  '/tools/:id': ({ ids }) => ({ address: `/tools/${ids.tool}` }),
};
const invitedMember = { email: 'inga@people.example' };
/** Protocol endpoints, files, the console itself, redirects, and pages of third parties. */
export const excludedPages = [
  /^\/$/,
  /^\/setup$/, // tested before an organization exists
  /^\/cli$/,
  /^\/(v1|cli|oauth2|agents|ingest|assets|\.well-known)\//,
  /^\/console/,
  /^\/graphiql/,
  /\/(callback|connect|client\.json)$/,
  /^\/sign-in\/passkey$/, // passkeys do not work on an address without a host name
  /^\/sign-in\/with\//,
];
