import { InvitationsService } from '../../src/access/invitations.service.js';
import { PasswordsService } from '../../src/access/passwords.service.js';
import type { Furnished } from './furnished.js';
import { aProduct, newVerifier } from './product.js';
import type { TestServer } from './server.js';

interface Plain {
  address: string;
  /** To whoever has the address, signed in or not. */
  isOpen?: boolean;
}

const signedIn = (address: string) => () => ({ address });
const open = (address: string) => ({ address, isOpen: true });
/** Every page that needs no JavaScript, by its route; where there is one to look at. */
export const plainPages: Record<string, (there: Furnished, server: TestServer) => Plain | Promise<Plain>> = {
  '/account': signedIn('/account'),
  '/account/ways-in': signedIn('/account/ways-in'),
  '/approvals/:id': ({ ids }) => ({ address: `/approvals/${ids.pending}` }),
  '/assistants': signedIn('/assistants'),
  '/configurations/:id/assistants': ({ house }) => ({ address: `/configurations/${house.configurationId}/assistants` }),
  '/confirm': signedIn('/confirm?next=/device'),
  '/connected': signedIn('/connected'),
  '/connections': signedIn('/connections'),
  '/consent/:id': async ({ house }, server) => ({
    address: (await aProduct(server, house.organization)).authorizePath(newVerifier()),
  }),
  '/device': signedIn('/device'),
  '/invitation': async ({ house }) =>
    open((await house.get(InvitationsService).invite(house.organization.system, inga)).url),
  '/problems': () => open('/problems'),
  '/problems/:code': () => open('/problems/forbidden'),
  '/reset': async ({ house }) =>
    open((await house.get(PasswordsService).issueReset(house.organization.system, house.reviewer.id)).url),
  '/sign-in': ({ house }) => open(`/sign-in?organization=${house.organization.tenant.slug}`),
  '/sign-out': signedIn('/sign-out'),
  '/tools': signedIn('/tools'),
  '/tools/:id': ({ ids }) => ({ address: `/tools/${ids.tool}` }),
};
const inga = { email: 'inga@people.example' };
/** Protocols, files, the console itself, what only leads elsewhere, and what is somebody else's design. */
export const notOurPages = [
  /^\/$/,
  /^\/setup$/, // looked at before there is an organization
  /^\/(v1|oauth2|agents|ingest|assets|\.well-known)\//,
  /^\/console/,
  /^\/graphiql/,
  /\/(callback|connect|client\.json)$/,
  /^\/sign-in\/passkey$/, // there are none at an address without a name
  /^\/sign-in\/with\//,
];
