import { ProposedChange } from './access/administration/proposed-change.entity.js';
import { TwoPersonArea } from './access/administration/two-person-area.entity.js';
import { AdminToken } from './access/admin-token.entity.js';
import { GroupMember } from './access/group-member.entity.js';
import { Group } from './access/group.entity.js';
import { IntroducedReviewers } from './access/administration/introduced-reviewers.entity.js';
import { MemberVouch } from './access/independence/vouch.entity.js';
import { Link } from './access/link.entity.js';
import { Member } from './access/member.entity.js';
import { Passkey } from './access/passkey.entity.js';
import { Identity } from './access/identity.entity.js';
import { SignInProvider } from './access/providers/sign-in-provider.entity.js';
import { Session } from './access/session.entity.js';
import { TenantKey } from './access/tenant-key.entity.js';
import { Tenant } from './access/tenant.entity.js';
import { ApprovalAssertion } from './approvals/approval-assertion.entity.js';
import { ApprovalOverride } from './approvals/approval-override.entity.js';
import { BreakGlassRight } from './approvals/break-glass-right.entity.js';
import { ApprovalStep } from './approvals/approval-step.entity.js';
import { Approval } from './approvals/approval.entity.js';
import { Substitution } from './approvals/substitution.entity.js';
import { AuditStream } from './audit-streams/audit-stream.entity.js';
import { AuditEvent } from './audit/audit-event.entity.js';
import { A2aKey } from './configurations/a2a-key.entity.js';
import { AgentIdentity } from './configurations/agent-identity.entity.js';
import { Configuration } from './configurations/configuration.entity.js';
import { KeyReveal } from './configurations/key-reveal.entity.js';
import { Connection } from './connections/connection.entity.js';
import { Tool } from './connections/tool.entity.js';
import { EstateEntry } from './estate/inventory/estate-entry.entity.js';
import { EstateFile } from './estate/inventory/estate-file.entity.js';
import { EstateServer } from './estate/inventory/estate-server.entity.js';
import { EstateSource } from './estate/estate-source.entity.js';
import { EstateVersion } from './estate/inventory/estate-version.entity.js';
import { KnowledgeDocument } from './knowledge/document.entity.js';
import { SourceRoster } from './knowledge/permissions/roster.entity.js';
import { Source } from './knowledge/source.entity.js';
import { PolicyShadow } from './gate/policy-shadow.entity.js';
import { CallVersion } from './gate/call-version.entity.js';
import { TaskGrant } from './gate/task-grant.entity.js';
import { PermitProposal } from './permit-proposals/permit-proposal.entity.js';
import { ToolCall } from './gate/tool-call.entity.js';
import { NotificationChannel } from './notifications/notification-channel.entity.js';
import { NotificationDelivery } from './notifications/notification-delivery.entity.js';
import { NotificationPreference } from './notifications/notification-preference.entity.js';
import { OauthClientSecret } from './oauth/clients/client-secret.entity.js';
import { OauthClient } from './oauth/client.entity.js';
import { PolicyDraft } from './policies/policy-draft.entity.js';
import { PolicyRevision } from './policies/policy-revision.entity.js';
import { SlackDecisionMessage } from './slack/slack-decision-message.entity.js';
import { SlackIdentity } from './slack/slack-identity.entity.js';
import { SlackLinkCode } from './slack/slack-link-code.entity.js';
import { SlackRequest } from './slack/slack-request.entity.js';
import { SlackSettings } from './slack/slack-settings.entity.js';
import { SlackSocket } from './slack/slack-socket.entity.js';
import { SpendBudget } from './spend/budgets/budget.entity.js';
import { SpendPerson } from './people/person.entity.js';
import { SpendUnit } from './people/units/unit.entity.js';
import { Task } from './tasks/task.entity.js';

export const entities = [
  Tenant,
  Member,
  Group,
  GroupMember,
  Session,
  Link,
  MemberVouch,
  IntroducedReviewers,
  TwoPersonArea,
  ProposedChange,
  AdminToken,
  TenantKey,
  SignInProvider,
  Identity,
  Passkey,
  AuditEvent,
  AuditStream,
  Connection,
  Tool,
  Source,
  SourceRoster,
  KnowledgeDocument,
  ApprovalStep,
  Approval,
  ApprovalAssertion,
  ApprovalOverride,
  BreakGlassRight,
  Substitution,
  PolicyRevision,
  PolicyDraft,
  Configuration,
  AgentIdentity,
  A2aKey,
  KeyReveal,
  ToolCall,
  CallVersion,
  TaskGrant,
  PolicyShadow,
  PermitProposal,
  Task,
  NotificationChannel,
  NotificationDelivery,
  NotificationPreference,
  OauthClient,
  OauthClientSecret,
  SlackDecisionMessage,
  SlackIdentity,
  SlackLinkCode,
  SlackRequest,
  SlackSettings,
  SlackSocket,
  SpendBudget,
  SpendPerson,
  SpendUnit,
  EstateSource,
  EstateFile,
  EstateServer,
  EstateEntry,
  EstateVersion,
];
