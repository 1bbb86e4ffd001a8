import { Introductions } from '../../src/access/independence/introductions.service.js';
import { InvitationsService } from '../../src/access/invitations.service.js';
import type { Member } from '../../src/access/member.entity.js';
import { MembersService } from '../../src/access/members.service.js';
import { PasswordsService } from '../../src/access/passwords.service.js';
import { Database } from '../../src/platform/database/database.service.js';
import type { Governed } from './governed.js';

const password = 'a long enough phrase 42';
const linkIn = (url: string) => new URL(url).searchParams.get('link');
let count = 0;

/** Somebody who came by an invitation that this member made. */
export async function invited(at: Governed, by: Member, name: string): Promise<Member> {
  const email = `${name.toLowerCase().replaceAll(' ', '.')}.${++count}@example.org`;
  const invitations = at.get(InvitationsService);
  const { url } = await invitations.invite(await at.person(by), { email, name, roles: ['admin'] });
  const { session } = await invitations.accept(linkIn(url), { name, password });
  return at.get(MembersService).get(at.organization.system, session.memberId);
}

/** The member's password was set by a link that this member made. */
export async function resetBy(at: Governed, by: Member, member: Member): Promise<void> {
  const { url } = await at.get(PasswordsService).issueReset(await at.person(by), member.id);
  await at.get(PasswordsService).reset(linkIn(url), { password });
}

/** As the pages leave it: who configured the issuer, and that the member signs in by it. */
export async function providerOf(at: Governed, by: Member, member: Member, issuer = 'https://idp.example') {
  const { id: tenantId } = at.organization.tenant;
  const introductions = at.inside(Introductions);
  await at.get(Database).tenant(at.organization.system, async (tx) => {
    await introductions.recordProvider(tx, { tenantId, memberId: by.id, issuer });
    await introductions.recordIdentity(tx, { tenantId, memberId: member.id, issuer });
  });
}
