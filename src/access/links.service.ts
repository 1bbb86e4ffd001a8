import { Injectable } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { AuditService } from '../audit/audit.service.js';
import { Config } from '../platform/config/config.js';
import { newId } from '../platform/crypto/ids.js';
import { hashToken, newToken, tokenKind } from '../platform/crypto/tokens.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { newestFirstPage } from '../platform/graphql/newest-first.js';
import type { Tx } from '../platform/database/tx.js';
import { notFound } from '../platform/errors/general.error.js';
import type { Page, PageArgs } from '../platform/graphql/connection.js';
import type { Role } from '../principal/permissions.js';
import type { Principal } from '../principal/principal.js';
import { linkUnusable } from './access.error.js';
import { linkByToken, type UsableLink } from './credentials.system.sql.js';
import { Link, type LinkKind } from './link.entity.js';
import { claimLink } from './links.sql.js';
import { introducedBy } from './memberships.service.js';

const linkLifetimeMs = 24 * 60 * 60 * 1000;
const paths: Record<LinkKind, string> = {
  setup: '/setup',
  invitation: '/invitation',
  reset: '/reset',
  'sign-in': '/sign-in',
};

/** A new link. The database stores only a hash of the token, so this is the only time the URL is available. */
export interface IssuedLink {
  link: Link;
  url: string;
}

interface NewLink {
  kind: LinkKind;
  memberId?: string;
  email?: string;
  name?: string | null;
  roles?: Role[];
  groupIds?: string[];
  removesPasskeys?: boolean;
}

/** Single-use links that let their holder perform one action. Reading a link changes nothing; `claim` uses it. */
@Injectable()
export class LinksService {
  constructor(
    private readonly config: Config,
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
  ) {}

  /** Runs in the transaction of the operation that needs the link. */
  async issue(tx: Tx, principal: Principal, newLink: NewLink): Promise<IssuedLink> {
    const token = newToken('lnk');
    const now = new Date();
    const link = tx.create(Link, {
      memberId: null,
      email: null,
      name: null,
      roles: null,
      groupIds: null,
      removesPasskeys: false,
      ...newLink,
      tenantId: principal.tenantId,
      id: newId(),
      tokenHash: hashToken(token),
      createdBy: introducedBy(principal),
      createdAt: now,
      expiresAt: new Date(now.getTime() + linkLifetimeMs),
      usedAt: null,
      revokedAt: null,
    });
    await tx.insert(Link, link);
    await this.audit.record(tx, principal, {
      kind: 'link.created',
      subject: { type: 'link', id: link.id },
      detail: {
        kind: link.kind,
        memberId: link.memberId,
        email: link.email,
        roles: link.roles,
        groupIds: link.groupIds,
        removesPasskeys: link.removesPasskeys,
      },
    });
    return { link, url: `${this.config.baseUrl}${paths[link.kind]}?link=${token}` };
  }

  /** Reads a link without using it. Throws `link-unusable`. */
  async get(token: unknown, kind: LinkKind): Promise<UsableLink> {
    const link = await this.find(token, kind);
    if (!link)
      throw linkUnusable('The link was used, was revoked, is older than 24 hours, or was not copied completely.');
    return link;
  }

  async find(token: unknown, kind: LinkKind): Promise<UsableLink | null> {
    if (typeof token !== 'string' || tokenKind(token) !== 'lnk') return null;
    const link = await this.database.system('find a link', (tx) => tx.one(linkByToken, [hashToken(token)]));
    return link?.kind === kind ? link : null;
  }

  /** Uses the link. Of two concurrent requests, one fails with `link-unusable`. */
  async claim(tx: Tx, { tenantId, id }: UsableLink): Promise<void> {
    if (!(await tx.execute(claimLink, [tenantId, id]))) throw linkUnusable('The link has just been used.');
  }

  list(principal: Principal, args: PageArgs, { isOpen }: { isOpen?: boolean | null } = {}): Promise<Page<Link>> {
    return this.database.tenant(principal, (tx) => {
      const query = tx.createQueryBuilder(Link, 'link').where('link.tenantId = :tenantId', principal);
      if (isOpen) query.andWhere('link.usedAt is null and link.revokedAt is null and link.expiresAt > now()');
      return newestFirstPage(query, args);
    });
  }

  async revoke(principal: Principal, id: string): Promise<Link> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const { affected } = await tx.update(
        Link,
        { tenantId, id, usedAt: IsNull(), revokedAt: IsNull() },
        { revokedAt: new Date() },
      );
      const link = await tx.findOneBy(Link, { tenantId, id });
      if (!link) throw notFound('There is no such link.');
      if (affected)
        await this.audit.record(tx, principal, {
          kind: 'link.revoked',
          subject: { type: 'link', id },
          detail: { kind: link.kind },
        });
      return link;
    });
  }

  /** Revokes the links for a member, when a new one is issued or the member loses access. */
  async revokeAllOf(tx: Tx, { tenantId }: Principal, memberId: string): Promise<void> {
    await tx.update(Link, { tenantId, memberId, usedAt: IsNull(), revokedAt: IsNull() }, { revokedAt: new Date() });
  }

  /**
   * Revokes the links that a member issued, when that member loses access or the admin role: such a link could restore
   * it.
   */
  async revokeAllBy(tx: Tx, { tenantId }: Principal, createdBy: string): Promise<void> {
    await tx.update(Link, { tenantId, createdBy, usedAt: IsNull(), revokedAt: IsNull() }, { revokedAt: new Date() });
  }

  async revokeInvitationsOf(tx: Tx, { tenantId }: Principal, email: string): Promise<void> {
    await tx.update(
      Link,
      { tenantId, kind: 'invitation', email, usedAt: IsNull(), revokedAt: IsNull() },
      { revokedAt: new Date() },
    );
  }
}
