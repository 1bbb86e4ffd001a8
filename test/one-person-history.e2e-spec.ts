import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { MemberStatusService } from '../src/access/member-status.service.js';
import { VouchesService } from '../src/access/independence/vouches.service.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { KeysService } from '../src/configurations/keys.service.js';
import { SecretsService } from '../src/oauth/clients/secrets.service.js';
import { Problem } from '../src/platform/errors/problem.js';
import type { Principal } from '../src/principal/principal.js';
import { colleagueWithProduct } from './kit/colleague-product.js';
import { GateFixture } from './kit/gate-fixture.js';
import { createInvitedMember, recordSignInProvider, resetPasswordBy } from './kit/introductions.js';
import { type TestServer, testServer } from './kit/server.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
});
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

const kinds = [
  'invite',
  'reset',
  'provider',
  'suspend',
  'reactivate',
  'vouch',
  'reveal-key',
  'rotate-key',
  'rotate-secret',
  'request',
  'request',
  'request-by-client',
  'request-by-client',
] as const;
const anyHistory = fc.array(fc.record({ kind: fc.constantFrom(...kinds), actor: fc.nat(5), target: fc.nat(5) }), {
  minLength: 6,
  maxLength: 18,
});

let count = 0;

/** An honest colleague connected it; the attacker may hold its secret. */
interface Product {
  principal: Principal;
  clientId: string;
  isTheirs: boolean;
}

/** Accounts of an organization; `isTheirs` marks those that one attacker controls. */
class Players {
  readonly accounts: { member: Member; isTheirs: boolean; isActive: boolean }[];
  private readonly products: Product[] = [];
  readonly asked: { title: string; approvalId: string }[] = [];

  private constructor(readonly at: GateFixture) {
    this.accounts = [
      { member: at.organization.admin, isTheirs: true, isActive: true },
      { member: at.reviewer, isTheirs: false, isActive: true },
    ];
  }

  static async start(): Promise<Players> {
    const at = await GateFixture.create(server, workplace);
    await at.publish(`
      permit (principal, action in Action::"read", resource);
      @approval("review") permit (principal, action in Action::"write", resource);`);
    const players = new Players(at);
    const third = await at.organization.member({ name: 'Theo Third', roles: ['admin'] });
    players.accounts.push({ member: third, isTheirs: false, isActive: true });
    return players;
  }

  async run({ kind, actor: who, target: whom }: { kind: (typeof kinds)[number]; actor: number; target: number }) {
    const { at } = this;
    const actor = this.accounts[who % this.accounts.length];
    const target = this.accounts[whom % this.accounts.length];
    if (!actor.isActive) return;
    switch (kind) {
      case 'invite': {
        const member = await createInvitedMember(at, actor.member, `Member ${++count}`);
        return void this.accounts.push({ member, isTheirs: actor.isTheirs, isActive: true });
      }
      case 'reset':
        if (actor === target || !target.isActive) return;
        target.isTheirs ||= actor.isTheirs;
        return resetPasswordBy(at, actor.member, target.member);
      case 'provider':
        if (!target.isActive) return;
        target.isTheirs ||= actor.isTheirs;
        return recordSignInProvider(at, actor.member, target.member, `https://idp-${++count}.example`);
      case 'suspend':
        // the agent stops working with the member who is responsible for it
        if (!target.isActive || target === this.accounts[0] || actor === target) return;
        target.isActive = false;
        return void (await at.get(MemberStatusService).suspend(await at.principalOf(actor.member), target.member.id));
      case 'reactivate':
        if (target.isActive) return;
        target.isActive = true;
        return void (await at
          .get(MemberStatusService)
          .reactivate(await at.principalOf(actor.member), target.member.id));
      case 'vouch':
        // honest people vouch only for accounts that the attacker does not control
        if (!target.isActive || (!actor.isTheirs && target.isTheirs)) return;
        return refusable(at.get(VouchesService).vouch(await at.principalOf(actor.member), target.member.id));
      case 'reveal-key':
        return refusable(at.get(KeysService).reveal(await at.principalOf(actor.member), at.agent.keyId!));
      case 'rotate-key':
        return refusable(
          at.get(KeysService).rotate(await at.principalOf(actor.member), at.agent.keyId!, { overlapSeconds: 3600 }),
        );
      case 'rotate-secret': {
        const maker = this.accounts[1];
        if (!this.products.length && !maker.isActive) return;
        const product = this.products.at(-1) ?? (await this.register(maker));
        product.isTheirs ||= actor.isTheirs;
        const person = await at.principalOf(actor.member);
        return void (await at.get(SecretsService).rotate(person, product.clientId, { overlapSeconds: 3600 }));
      }
      case 'request':
        return this.request();
      case 'request-by-client': {
        const product = this.products.at(-1) ?? (await this.register(actor));
        if (product.isTheirs) await this.request(product.principal);
      }
    }
  }

  private async register({ member, isTheirs }: { member: Member; isTheirs: boolean }): Promise<Product> {
    const { principal, client } = await colleagueWithProduct(this.at, await this.at.principalOf(member));
    const product = { principal, clientId: client.id, isTheirs };
    this.products.push(product);
    return product;
  }

  private async request(as?: Principal): Promise<void> {
    const title = `Motor ${++count} hums`;
    const outcome = await this.at.call('create_ticket', { title }, { as });
    if (outcome.state === 'awaiting_approval') this.asked.push({ title, approvalId: outcome.approvalId });
  }

  /** The attacker tries to approve everything with every account that they control. */
  async approveAll(): Promise<string[]> {
    const approved: string[] = [];
    for (const { member, isTheirs, isActive } of this.accounts.filter(
      (account) => account.isTheirs && account.isActive,
    ))
      for (const { approvalId } of this.asked)
        if (isTheirs && isActive && (await this.approve(member, approvalId)))
          approved.push(`${member.name} ${approvalId}`);
    return approved;
  }

  private async approve(member: Member, id: string): Promise<boolean> {
    const decided = this.at.get(ApprovalsService).decide(await this.at.principalOf(member), id, 'approve');
    return decided.then(({ state }) => state === 'approved', refusal(false));
  }
}

const refusal =
  <T>(value: T) =>
  (error: unknown): T => {
    if (error instanceof Problem) return value;
    throw error;
  };
const refusable = (work: Promise<unknown>): Promise<void> => work.then(() => undefined, refusal(undefined));

describe('one person in an organization on a real database', () => {
  it('cannot execute their own call alone in any history', { timeout: 600_000 }, async () => {
    let asked = 0;
    await fc.assert(
      fc.asyncProperty(anyHistory, async (history) => {
        const players = await Players.start();
        for (const step of history) await players.run(step);
        expect(await players.approveAll()).toEqual([]);
        const titles = (await workplace.arrivals()).map(({ arguments: args }) => (args as { title: string }).title);
        expect(players.asked.filter(({ title }) => titles.includes(title))).toEqual([]);
        asked += players.asked.length;
      }),
      { numRuns: 12, endOnFailure: true },
    );
    expect(asked).toBeGreaterThan(0);
  });
});
