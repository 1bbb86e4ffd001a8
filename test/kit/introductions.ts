import { IntroductionsService } from '../../src/access/independence/introductions.service.js';
import { InvitationsService } from '../../src/access/invitations.service.js';
import type { Member } from '../../src/access/member.entity.js';
import { MembersService } from '../../src/access/members.service.js';
import { PasswordsService } from '../../src/access/passwords.service.js';
import { DatabaseService } from '../../src/platform/database/database.service.js';
import type { GateFixture } from './gate-fixture.js';

const password = 'a long enough phrase 42';
const linkTokenIn = (url: string) => new URL(url).searchParams.get('link');
let count = 0;

/** A member who joined by an invitation from this member. */
export async function createInvitedMember(fixture: GateFixture, by: Member, name: string): Promise<Member> {
  const email = `${name.toLowerCase().replaceAll(' ', '.')}.${++count}@example.org`;
  const invitations = fixture.get(InvitationsService);
  const { url } = await invitations.invite(await fixture.principalOf(by), { email, name, roles: ['admin'] });
  const { session } = await invitations.accept(linkTokenIn(url), { name, password });
  return fixture.get(MembersService).get(fixture.organization.system, session.memberId);
}

/** Resets the password of a member by a link that another member issued. */
export async function resetPasswordBy(fixture: GateFixture, by: Member, member: Member): Promise<void> {
  const { url } = await fixture.get(PasswordsService).issueReset(await fixture.principalOf(by), member.id);
  await fixture.get(PasswordsService).reset(linkTokenIn(url), { password });
}

/** Records the same rows as the pages: who configured the issuer, and that the member signs in with it. */
export async function recordSignInProvider(
  fixture: GateFixture,
  by: Member,
  member: Member,
  issuer = 'https://idp.example',
) {
  const { id: tenantId } = fixture.organization.tenant;
  const introductions = fixture.getInternal(IntroductionsService);
  await fixture.get(DatabaseService).tenant(fixture.organization.system, async (tx) => {
    await introductions.recordProvider(tx, { tenantId, memberId: by.id, issuer });
    await introductions.recordIdentity(tx, { tenantId, memberId: member.id, issuer });
  });
}
