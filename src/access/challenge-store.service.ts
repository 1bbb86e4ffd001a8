import { randomBytes } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { Request, Response } from 'express';
import { sha256 } from '../platform/crypto/digest.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { CookiesService } from '../platform/http/cookies.service.js';
import { QueueService } from '../platform/queue/queue.service.js';
import {
  type ChallengeContext,
  type ChallengePurpose,
  consumeChallenge,
  insertChallenge,
  sweepChallenges,
} from './challenges.system.sql.js';

export type { ChallengePurpose } from './challenges.system.sql.js';

export interface Challenge extends ChallengeContext {
  purpose: ChallengePurpose;
  createdAt: Date;
}

const cookie = 'countersign-begun';
const defaultLifetimeSeconds = 10 * 60;
const sweepSeconds = 10 * 60;

/**
 * Random values that a provider or a passkey must return: once, before they expire, and in the browser they were issued
 * to. Only hashes are stored.
 */
@Injectable()
export class ChallengeStore implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly cookies: CookiesService,
    private readonly queue: QueueService,
  ) {}

  onModuleInit(): void {
    this.queue.every('challenges.sweep', sweepSeconds, () =>
      this.database.system('sweep challenges', async (tx) => void (await tx.execute(sweepChallenges))),
    );
  }

  /** `suffix`: bytes that the challenge ends with. */
  async issue(
    browser: string,
    purpose: ChallengePurpose,
    context: ChallengeContext,
    { suffix, lifetimeSeconds = defaultLifetimeSeconds }: { suffix?: Buffer; lifetimeSeconds?: number } = {},
  ): Promise<Buffer> {
    const challenge = Buffer.concat([randomBytes(32), suffix ?? Buffer.alloc(0)]);
    await this.database.system('store a challenge', (tx) =>
      tx.execute(insertChallenge, [
        sha256(challenge),
        purpose,
        sha256(browser),
        JSON.stringify(context),
        lifetimeSeconds,
      ]),
    );
    return challenge;
  }

  /**
   * Invalidates the challenge even if the sign-in fails later. Null: unknown, used, expired, or issued to another
   * browser.
   */
  async consume(
    browser: string | undefined,
    challenge: Buffer,
    purposes: ChallengePurpose[],
  ): Promise<Challenge | null> {
    if (!browser) return null;
    const row = await this.database.system('consume a challenge', (tx) =>
      tx.one(consumeChallenge, [sha256(challenge), purposes, sha256(browser)]),
    );
    return row && { ...row.context, purpose: row.purpose, createdAt: row.createdAt };
  }

  /** The browser's secret: an HttpOnly cookie, shared by all tabs. */
  ensureBrowserSecret(request: Request, response: Response): string {
    const known = this.findBrowserSecret(request);
    const browser = known ?? randomBytes(32).toString('base64url');
    if (!known) this.cookies.write(response, cookie, browser);
    return browser;
  }

  findBrowserSecret(request: Request): string | undefined {
    const value = this.cookies.read(request, cookie);
    return value && /^[\w-]{43}$/.test(value) ? value : undefined;
  }
}
