import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { requireSession } from '../access/sessions.service.js';
import type { MessageRecipient } from '../notifications/notification-source-registry.service.js';
import { constantTimeEqual } from '../platform/crypto/digest.js';
import { SealService } from '../platform/crypto/seal.service.js';
import type { Principal } from '../principal/principal.js';
import type { Approval } from './approval.entity.js';
import { approvalLinkRefused } from './approvals.error.js';

const keyPurpose = 'links in notifications of approvals';
const maxTokenLength = 1000;

/** A verified link of a notification. It is used up by the decision that is made on its page. */
export interface ApprovalLink extends MessageRecipient {
  expiresAt: Date;
}

const claimsSchema = z.tuple([
  z.uuid(),
  z.uuid().nullable(),
  z.enum(['email', 'slack', 'teams', 'webhook']),
  z.number().int(),
]);

/**
 * Signs the links of notifications. A link grants nothing: its page requires the session of somebody who can decide. It
 * proves from which message the decision came. A link to one member also proves that no one else used the message.
 */
@Injectable()
export class ApprovalLinksService {
  constructor(private readonly seal: SealService) {}

  /** The same in every attempt to send the message. */
  pathOf({ tenantId, id, expiresAt }: Approval, { messageId, memberId, medium }: MessageRecipient): string {
    const claims = JSON.stringify([messageId, memberId, medium, Math.ceil(expiresAt.getTime() / 1000)]);
    const payload = Buffer.from(claims).toString('base64url');
    return `/approvals/${id}?n=${payload}.${signatureOf(this.seal.derive(keyPurpose), tenantId, id, payload)}`;
  }

  /** Whether the link was used is stored with the approval. */
  verify(principal: Principal, approvalId: string, token: string): ApprovalLink {
    const { tenantId, memberId } = requireSession(principal);
    const [payload, signature, ...rest] = token.slice(0, maxTokenLength).split('.');
    const isSigned = this.seal
      .deriveFromEach(keyPurpose)
      .some((key) => constantTimeEqual(signature ?? '', signatureOf(key, tenantId, approvalId, payload)));
    if (!isSigned || rest.length)
      throw approvalLinkRefused('The link is incomplete, was changed, or belongs to another approval.');
    const [messageId, recipientId, medium, expiresAtSeconds] = claimsSchema.parse(
      JSON.parse(Buffer.from(payload, 'base64url').toString()),
    );
    if (recipientId !== null && recipientId !== memberId)
      throw approvalLinkRefused('The link was sent to another member. It only works for that member.');
    const expiresAt = new Date(expiresAtSeconds * 1000);
    if (expiresAt <= new Date()) throw approvalLinkRefused('The link has expired.');
    return { messageId, memberId: recipientId, medium, expiresAt };
  }
}

export function requireUnusedLink({ usedLinks }: Approval, { messageId }: ApprovalLink): void {
  if (usedLinks.includes(messageId))
    throw approvalLinkRefused('A decision was already made with this link. It works once.');
}

const signatureOf = (key: Buffer, tenantId: string, approvalId: string, payload: string): string =>
  createHmac('sha256', key)
    .update(JSON.stringify([tenantId, approvalId, payload]))
    .digest('base64url');
