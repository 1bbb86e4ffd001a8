import { randomBytes } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Request, Response } from 'express';
import { sha256 } from '../platform/crypto/digest.js';
import { Database } from '../platform/database/database.service.js';
import { Cookies } from '../platform/http/cookies.service.js';
import { Queue } from '../platform/queue/queue.service.js';
import { keepChallenge, sweepChallenges, takeChallenge } from './challenges.system.sql.js';

export type ChallengePurpose =
  | 'provider-sign-in'
  | 'provider-link'
  | 'provider-confirm'
  | 'passkey-sign-in'
  | 'passkey-second-factor'
  | 'passkey-register'
  | 'passkey-confirm';

/** What has to be known again when the answer comes. */
export interface ChallengeContext {
  tenantId?: string;
  memberId?: string;
  sessionId?: string;
  providerId?: string;
  /** Where to go afterwards. */
  next?: string;
}

export interface Challenge extends ChallengeContext {
  purpose: ChallengePurpose;
  createdAt: Date;
}

const cookie = 'countersign-begun';
const lifeSeconds = 10 * 60;
const sweepSeconds = 10 * 60;

/**
 * Random values that somebody else (a provider, a passkey) has to bring back: once, soon, and in the browser they were made
 * for. Only hashes are kept.
 */
@Injectable()
export class Challenges implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly cookies: Cookies,
    private readonly queue: Queue,
  ) {}

  onModuleInit(): void {
    this.queue.every('challenges.sweep', sweepSeconds, () =>
      this.database.system('sweep challenges', async (tx) => void (await tx.query(sweepChallenges))),
    );
  }

  async issue(browser: string, purpose: ChallengePurpose, context: ChallengeContext): Promise<Buffer> {
    const challenge = randomBytes(32);
    await this.database.system('keep a challenge', (tx) =>
      tx.query(keepChallenge, [sha256(challenge), purpose, sha256(browser), JSON.stringify(context), lifeSeconds]),
    );
    return challenge;
  }

  /** Uses it up, whatever comes of it. Null: unknown, used, too old, or of another browser. */
  async take(browser: string | undefined, challenge: Buffer, purposes: ChallengePurpose[]): Promise<Challenge | null> {
    if (!browser) return null;
    type Row = { purpose: ChallengePurpose; context: ChallengeContext; createdAt: Date };
    const [[row]] = await this.database.system('take a challenge', (tx) =>
      tx.query<[Row[], number]>(takeChallenge, [sha256(challenge), purposes, sha256(browser)]),
    );
    return row ? { ...row.context, purpose: row.purpose, createdAt: row.createdAt } : null;
  }

  /** The browser's secret: a cookie that no script sees. Several tabs share it. */
  browserOf(request: Request, response: Response): string {
    const known = this.knownBrowser(request);
    const browser = known ?? randomBytes(32).toString('base64url');
    if (!known) this.cookies.write(response, cookie, browser);
    return browser;
  }

  knownBrowser(request: Request): string | undefined {
    const value = this.cookies.read(request, cookie);
    return value && /^[\w-]{43}$/.test(value) ? value : undefined;
  }
}
