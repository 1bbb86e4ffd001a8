import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GroupsService } from '../src/access/groups.service.js';
import type { Member } from '../src/access/member.entity.js';
import { SubstitutionsService } from '../src/approvals/substitutions.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { ApprovalsFixture } from './kit/approvals-fixture.js';
import { itInChromium, openConsole } from './kit/console.js';
import { createInvitedMember } from './kit/introductions.js';

let at: ApprovalsFixture;
let ann: Member;
let ben: Member;
/** Not an approver. */
let sam: Member;

beforeAll(async () => {
  at = await ApprovalsFixture.start();
  const { fixture } = at;
  const group = await fixture.get(GroupsService).create(await fixture.principalOf(), 'Board');
  ann = await fixture.organization.member({ name: 'Ann Approver', groupIds: [group.id] });
  ben = await fixture.organization.member({ name: 'Ben Board', groupIds: [group.id] });
  sam = await fixture.organization.member({ name: 'Sam Substitute' });
  await at.saveStep({ name: 'board', approverGroupId: group.id, quorum: 2 });
  await at.publish('board');
});
afterAll(() => at.close());

const hours = (count: number) => new Date(Date.now() + count * 3_600_000);
const service = () => at.fixture.getInternal(SubstitutionsService);
async function name(by: Member, input: object = {}) {
  const substitution = { substituteId: sam.id, startsAt: hours(-1), endsAt: hours(8), ...input };
  return service().create(await at.fixture.principalOf(by), substitution);
}
const end = async (by: Member, id: string) => service().end(await at.fixture.principalOf(by), id);
/** Ends all substitutions afterwards. */
async function withSubstitute<T>(by: Member, input: object, run: () => Promise<T>): Promise<T> {
  const { id } = await name(by, input);
  try {
    return await run();
  } finally {
    await end(by, id);
  }
}

describe('a substitute', () => {
  it('decides in place of the member, and the vote is that of the member', () =>
    withSubstitute(ann, {}, async () => {
      const { id, title } = await at.request();
      expect(await at.decidableBy(sam)).toContain(id);
      expect(await at.recipientsOf('approval.requested', id)).toEqual(expect.arrayContaining([ann.id, ben.id, sam.id]));
      expect(await at.decide(id, sam)).toMatchObject({ state: 'pending', approvedBy: [sam.id], approvedFor: [ann.id] });
      expect(await at.decidableBy(ann)).not.toContain(id);
      await expect(at.decide(id, ann)).rejects.toMatchObject({ code: 'not-yours-to-decide' });
      await expect(at.decide(id, sam)).rejects.toMatchObject({ code: 'approval-decided' });
      expect(await at.decide(id, ben)).toMatchObject({ state: 'approved', approvedFor: [ann.id, ben.id] });
      await expect.poll(() => at.ticketCount(title)).toBe(1);
      expect(await at.eventsOf(id)).toContainEqual(
        expect.objectContaining({ kind: 'approval.voted', approvedBy: [sam.id], approvedFor: [ann.id] }),
      );
    }));

  it('has no vote once the member has voted', () =>
    withSubstitute(ann, {}, async () => {
      const { id } = await at.request();
      await at.decide(id, ann);
      await expect(at.decide(id, sam)).rejects.toMatchObject({
        code: 'not-yours-to-decide',
        message: expect.stringContaining('You are a substitute, but Ann Approver approved this call.'),
      });
    }));

  it('of two members gives one vote', () =>
    withSubstitute(ann, {}, () =>
      withSubstitute(ben, {}, async () => {
        const { id } = await at.request();
        expect(await at.decide(id, sam)).toMatchObject({ state: 'pending', approvedFor: [ann.id] });
        await expect(at.decide(id, sam)).rejects.toMatchObject({ code: 'approval-decided' });
      }),
    ));

  it('who is an approver gives their own vote', () =>
    withSubstitute(ann, { substituteId: ben.id }, async () => {
      const { id } = await at.request();
      expect(await at.decide(id, ben)).toMatchObject({ approvedBy: [ben.id], approvedFor: [ben.id] });
      expect(await at.decide(id, ann)).toMatchObject({ state: 'approved', approvedFor: [ben.id, ann.id] });
    }));

  it('can deny, which is recorded as a denial in place of the member', () =>
    withSubstitute(ann, {}, async () => {
      const { id } = await at.request();
      expect(await at.decide(id, sam, 'deny')).toMatchObject({
        state: 'denied',
        decidedBy: sam.id,
        decidedFor: ann.id,
      });
      expect(await at.eventsOf(id)).toContainEqual(
        expect.objectContaining({ kind: 'approval.denied', decidedFor: ann.id }),
      );
    }));

  it('who is named after the request cannot decide', async () => {
    const { id } = await at.request();
    await withSubstitute(ann, {}, async () => {
      await expect(at.decide(id, sam)).rejects.toMatchObject({ code: 'approval-not-found' });
    });
  });

  it('decides within the days of the substitution only', async () => {
    const { id: substitutionId } = await name(ann, { startsAt: hours(0.5) });
    const { id } = await at.request();
    const movePeriod = (column: string, by: string) =>
      at.asOwner(`update substitutions set ${column} = now() + $2::interval where id = $1`, [substitutionId, by]);
    await expect(at.decide(id, sam)).rejects.toMatchObject({ code: 'approval-not-found' });
    await movePeriod('starts_at', '-1 minute');
    expect(await at.decide(id, sam)).toMatchObject({ state: 'pending', approvedFor: [ann.id] });
    await movePeriod('ends_at', '-1 second');
    // the vote no longer counts
    expect(await at.decide(id, ben)).toMatchObject({ state: 'pending', approvedBy: [ben.id] });
    expect(await at.decide(id, ann)).toMatchObject({ state: 'approved', approvedFor: [ben.id, ann.id] });
  });

  it('loses the vote when the substitution ends', async () => {
    const { id: substitutionId } = await name(ann);
    const { id } = await at.request();
    await at.decide(id, sam);
    await end(ann, substitutionId);
    expect(await at.decide(id, ben)).toMatchObject({ state: 'pending', approvedBy: [ben.id] });
  });

  it('cannot decide if the member cannot', () =>
    withSubstitute(ann, {}, async () => {
      const { id } = await at.request();
      await at.suspend(ann);
      await expect.poll(async () => (await at.load(id)).state).toBe('void');
      expect((await at.load(id)).reason).toBe('Fewer than 2 members are left who can approve this call.');
      await at.reactivate(ann);
    }));
});

describe('a requester', () => {
  it('cannot decide as a substitute', () =>
    withSubstitute(ben, { substituteId: at.fixture.organization.admin.id }, async () => {
      const { id } = await at.request();
      await expect(at.decide(id, at.fixture.organization.admin)).rejects.toMatchObject({ code: 'not-yours-to-decide' });
    }));

  it('cannot choose who decides, by naming a substitute as an administrator', async () => {
    const { admin } = at.fixture.organization;
    await withSubstitute(admin, { memberId: ben.id }, async () => {
      const { id } = await at.request();
      await expect(at.decide(id, sam)).rejects.toMatchObject({ code: 'approval-not-found' });
    });
    // another administrator can
    await withSubstitute(at.fixture.reviewer, { memberId: ben.id }, async () => {
      const { id } = await at.request();
      expect(await at.decide(id, sam)).toMatchObject({ approvedFor: [ben.id] });
    });
  });

  it('cannot let someone whom they invited be a substitute', async () => {
    const guest = await createInvitedMember(at.fixture, at.fixture.organization.admin, 'Gus Guest');
    await withSubstitute(ben, { substituteId: guest.id }, async () => {
      const { id } = await at.request();
      // an administrator sees every approval
      await expect(at.decide(id, guest)).rejects.toMatchObject({ code: 'not-yours-to-decide' });
    });
  });
});

describe('naming a substitute', () => {
  const mutation =
    'mutation ($input: NameSubstituteInput!) { nameSubstitute(input: $input) { id substitute { name } } }';
  const input = (more: object = {}) => ({ substituteId: sam.id, startsAt: hours(1), endsAt: hours(2), ...more });

  it('is possible for yourself, and is listed and audited', async () => {
    const asBen = await at.fixture.organization.as(ben);
    const { data } = await asBen(mutation, { input: input() });
    expect(data.nameSubstitute.substitute).toEqual({ name: 'Sam Substitute' });
    const { id } = data.nameSubstitute;
    expect((await asBen('{ substitutions { id member { name } } }')).data.substitutions).toEqual([
      { id, member: { name: 'Ben Board' } },
    ]);
    const ending = 'mutation ($input: EndSubstitutionInput!) { endSubstitution(input: $input) { id } }';
    const asAnn = await at.fixture.organization.as(ann);
    expect(await asAnn(ending, { input: { id } })).toMatchObject({ code: 'not-found' });
    expect((await asBen(ending, { input: { id } })).data.endSubstitution).toEqual({ id });
    expect((await asBen('{ substitutions { id } }')).data.substitutions).toEqual([]);
    expect((await at.eventsOf(id)).map(({ kind }) => kind)).toEqual(['substitution.created', 'substitution.ended']);
  });

  it('for others needs an administrator', async () => {
    const asAnn = await at.fixture.organization.as(ann);
    expect(await asAnn(mutation, { input: input({ memberId: ben.id }) })).toMatchObject({ code: 'forbidden' });
    expect(await asAnn('query ($id: ID) { substitutions(memberId: $id) { id } }', { id: ben.id })).toMatchObject({
      code: 'forbidden',
    });
  });

  it.each([
    ['yourself', () => ({ substituteId: ann.id }), 'invalid-request'],
    ['for a period in the past', () => ({ startsAt: hours(-3), endsAt: hours(-2) }), 'invalid-request'],
    ['for two years', () => ({ endsAt: hours(2 * 365 * 24) }), 'invalid-request'],
    ['who does not exist', () => ({ substituteId: newId() }), 'not-found'],
  ])('refuses %s', async (_, more, code) => {
    expect(await (await at.fixture.organization.as(ann))(mutation, { input: input(more()) })).toMatchObject({ code });
  });

  itInChromium('works on the account page, and the approval page shows whose vote it is', async () => {
    const page = await openConsole(at.server, ann);
    await page.goto('/console/account');
    await page.getByRole('button', { name: 'Name substitute' }).click();
    const dialog = page.getByRole('dialog', { name: 'Name substitute' });
    await dialog.getByRole('combobox', { name: 'Substitute' }).fill('sam');
    await page.getByRole('option', { name: 'Sam Substitute' }).click();
    await dialog.getByLabel('Last day').fill(await dialog.getByLabel('First day').inputValue());
    await dialog.getByRole('button', { name: 'Name substitute' }).click();
    await page.getByText(/^Sam Substitute, /).waitFor();

    const { id } = await at.request();
    await at.decide(id, sam);
    await page.goto(`/console/approvals/${id}`);
    await page.getByText('1 of 2: Sam Substitute for Ann Approver').waitFor();
    await page.getByText('Sam Substitute approved this call in your place.').waitFor();

    await page.goto('/console/account');
    await page.getByRole('button', { name: 'End substitution by Sam Substitute' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End substitution' }).click();
    await page.getByText(/^No substitutes/).waitFor();
  });
});
