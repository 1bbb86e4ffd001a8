import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import type { Tx } from '../../platform/database/tx.js';
import type { Principal } from '../../principal/principal.js';
import { type ChangeDescription, differingFields } from '../administration/administration-change.port.js';
import { ApproverGroupRegistry } from '../administration/approver-group-registry.service.js';
import { Group } from '../group.entity.js';
import type { SignInProvider } from './sign-in-provider.entity.js';

/** The settings of a provider as a second administrator sees them. */
interface ShownProvider extends Omit<SignInProvider, 'groups' | 'clientSecret'> {
  groupIds: readonly string[];
  /** "Set", "None": the secret itself is never shown. */
  secret: string;
}

@Injectable()
export class ProviderChangeDescriptionService {
  constructor(private readonly approverGroups: ApproverGroupRegistry) {}

  async describe(
    tx: Tx,
    { tenantId }: Principal,
    verb: string,
    before: ShownProvider | null,
    after: ShownProvider | null,
  ): Promise<ChangeDescription> {
    const { id, name } = (before ?? after)!;
    const gained = (after?.groupIds ?? []).filter((groupId) => !before?.groupIds.includes(groupId));
    const isApproving = await this.approverGroups.anyApproves(tx, tenantId, gained);
    const groupNames = await loadGroupNames(tx, tenantId, [...(before?.groupIds ?? []), ...gained]);
    const old: ProviderTexts = before ? textsOf(before, groupNames) : {};
    const now: ProviderTexts = after ? textsOf(after, groupNames) : {};
    const labels = Object.keys({ ...old, ...now });
    return {
      areas: ['sign_in_providers', ...(isApproving ? (['approver_groups'] as const) : [])],
      title: `${verb} the sign-in provider ${name}`,
      subject: { type: 'sign_in_provider', id, name },
      fields: differingFields(labels.map((label) => [label, old[label] ?? null, now[label] ?? null] as const)),
      // the settings that stay as they are belong to what the second administrator agrees to
      basis: JSON.stringify(old),
    };
  }
}

type ProviderTexts = Record<string, string>;

const textsOf = (
  { name, issuer, clientId, secret, emailDomains, createsMembers, disabledAt, groupIds }: ShownProvider,
  groupNames: ReadonlyMap<string, string>,
): ProviderTexts => ({
  Name: name,
  Issuer: issuer,
  'Client ID': clientId,
  'Client secret': secret,
  'Email domains': emailDomains.join(', '),
  'New users become members': createsMembers ? 'Yes' : 'No',
  Enabled: disabledAt ? 'No' : 'Yes',
  'Groups of new members': groupIds.map((id) => groupNames.get(id) ?? id).join(', ') || 'None',
});

async function loadGroupNames(tx: Tx, tenantId: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const groups = await tx.findBy(Group, { tenantId, id: In([...ids]) });
  return new Map(groups.map(({ id, name }) => [id, name]));
}
