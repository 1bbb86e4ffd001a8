import { AccessBaseline1800000000100 } from './access/migrations/0001-access.js';
import { ChangesByTokens1800000002500 } from './access/migrations/0003-changes-by-tokens.js';
import { TwoPersonAdministration1800000002100 } from './access/migrations/0002-two-person-administration.js';
import { BreakGlass1800000002110 } from './approvals/migrations/0010-break-glass.js';
import { OverriddenCalls1800000002120 } from './gate/migrations/0007-overridden-calls.js';
import { ApprovalsBaseline1800000000500 } from './approvals/migrations/0001-approvals.js';
import { StepsInOrder1800000001810 } from './approvals/migrations/0004-steps-in-order.js';
import { ApprovalEscalation1800000001820 } from './approvals/migrations/0005-escalation.js';
import { Substitutions1800000001830 } from './approvals/migrations/0006-substitutions.js';
import { GroupsInUse1800000001870 } from './approvals/migrations/0007-groups-in-use.js';
import { AuditStreamsBaseline1800000001845 } from './audit-streams/migrations/0001-audit-streams.js';
import { DecidableInSlack1800000001871 } from './approvals/migrations/0008-decidable-in-slack.js';
import { PasskeyDecisions1800000002300 } from './approvals/migrations/0012-passkey-decisions.js';
import { EditsAndGrants1800000002000 } from './approvals/migrations/0009-edits-and-grants.js';
import { ApproverActivity1800000002200 } from './approvals/migrations/0011-approver-activity.js';
import { SlackSecretHolders1800000001872 } from './notifications/migrations/0003-slack-secret-holders.js';
import { MessageContents1800000001873 } from './slack/migrations/0002-message-contents.js';
import { AuditStreamOutages1800000002400 } from './audit-streams/migrations/0003-audit-stream-outages.js';
import { SocketMode1800000002410 } from './slack/migrations/0003-socket-mode.js';
import { AuditStreamStops1800000001882 } from './audit-streams/migrations/0002-audit-stream-stops.js';
import { SlackDecisions1800000001720 } from './approvals/migrations/0003-slack-decisions.js';
import { UsedLinks1800000001710 } from './approvals/migrations/0002-used-links.js';
import { AuditBaseline1800000000200 } from './audit/migrations/0001-audit.js';
import { AuditSeals1800000001600 } from './audit/migrations/0002-audit-seals.js';
import { AuditTombstones1800000001840 } from './audit/migrations/0003-audit-tombstones.js';
import { AuditRetentionStart1800000001881 } from './audit/migrations/0004-audit-retention-start.js';
import { ConfigurationsBaseline1800000000700 } from './configurations/migrations/0001-configurations.js';
import { ConnectionsBaseline1800000000300 } from './connections/migrations/0001-connections.js';
import { ResultRules1800000001862 } from './connections/migrations/0002-result-rules.js';
import { EstateBaseline1800000001300 } from './estate/migrations/0001-estate.js';
import { GateBaseline1800000000800 } from './gate/migrations/0001-gate.js';
import { PolicyShadows1800000001860 } from './gate/migrations/0002-policy-shadows.js';
import { CallResults1800000001864 } from './gate/migrations/0003-call-results.js';
import { ShadowClaims1800000001891 } from './gate/migrations/0004-shadow-claims.js';
import { CallEdits1800000002001 } from './gate/migrations/0005-call-edits.js';
import { TaskGrants1800000002002 } from './gate/migrations/0006-task-grants.js';
import { PermitProposals1800000002210 } from './permit-proposals/migrations/0001-permit-proposals.js';
import { KnowledgeBaseline1800000000400 } from './knowledge/migrations/0001-knowledge.js';
import { HybridSearch1800000002620 } from './knowledge/migrations/0002-hybrid-search.js';
import { SourcePasses1800000002700 } from './knowledge/migrations/0003-source-passes.js';
import { SourceRosters1800000002710 } from './knowledge/migrations/0004-source-rosters.js';
import { IndexPartitions1800000002720 } from './knowledge/migrations/0005-index-partitions.js';
import { DocumentLinks1800000002810 } from './knowledge/migrations/0006-document-links.js';
import { WebhookTokens1800000002820 } from './knowledge/migrations/0007-webhook-tokens.js';
import { McpClientBaseline1800000000320 } from './mcp-client/migrations/0001-mcp-client.js';
import { McpSessionsBaseline1800000001100 } from './mcp-sessions/migrations/0001-mcp-sessions.js';
import { NotificationsBaseline1800000001700 } from './notifications/migrations/0001-notifications.js';
import { SlackApps1800000001730 } from './notifications/migrations/0002-slack-apps.js';
import { OauthBaseline1800000001000 } from './oauth/migrations/0001-oauth.js';
import { PeopleBaseline1800000000350 } from './people/migrations/0001-people.js';
import { PseudonymIds1800000001400 } from './people/migrations/0002-pseudonym-ids.js';
import { PlatformBaseline1800000000000 } from './platform/migrations/0001-platform.js';
import { repeatableMigrationsIn } from './platform/database/repeatable-migrations.js';
import type { DatabaseSchema } from './platform/database/sources.js';
import { PoliciesBaseline1800000000600 } from './policies/migrations/0001-policies.js';
import { RevisionNotes1800000001850 } from './policies/migrations/0002-revision-notes.js';
import { SlackBaseline1800000001740 } from './slack/migrations/0001-slack.js';
import { SpendBaseline1800000001200 } from './spend/migrations/0001-spend.js';
import { TasksBaseline1800000000900 } from './tasks/migrations/0001-tasks.js';
import { AdvanceResult1800000001500 } from './tasks/migrations/0002-advance-result.js';
import { UpstreamAccountsBaseline1800000000310 } from './upstream-accounts/migrations/0001-upstream-accounts.js';

/** The schema of the database. Tables are created first, then functions and triggers. */
export const databaseSchema: DatabaseSchema = {
  /** Oldest first. */
  migrations: [
    PlatformBaseline1800000000000,
    AccessBaseline1800000000100,
    AuditBaseline1800000000200,
    ConnectionsBaseline1800000000300,
    UpstreamAccountsBaseline1800000000310,
    McpClientBaseline1800000000320,
    PeopleBaseline1800000000350,
    KnowledgeBaseline1800000000400,
    ApprovalsBaseline1800000000500,
    PoliciesBaseline1800000000600,
    ConfigurationsBaseline1800000000700,
    GateBaseline1800000000800,
    TasksBaseline1800000000900,
    OauthBaseline1800000001000,
    McpSessionsBaseline1800000001100,
    SpendBaseline1800000001200,
    EstateBaseline1800000001300,
    PseudonymIds1800000001400,
    AdvanceResult1800000001500,
    AuditSeals1800000001600,
    NotificationsBaseline1800000001700,
    UsedLinks1800000001710,
    SlackDecisions1800000001720,
    SlackApps1800000001730,
    SlackBaseline1800000001740,
    StepsInOrder1800000001810,
    ApprovalEscalation1800000001820,
    Substitutions1800000001830,
    AuditTombstones1800000001840,
    AuditStreamsBaseline1800000001845,
    RevisionNotes1800000001850,
    PolicyShadows1800000001860,
    ResultRules1800000001862,
    CallResults1800000001864,
    GroupsInUse1800000001870,
    DecidableInSlack1800000001871,
    SlackSecretHolders1800000001872,
    MessageContents1800000001873,
    AuditRetentionStart1800000001881,
    AuditStreamStops1800000001882,
    ShadowClaims1800000001891,
    EditsAndGrants1800000002000,
    CallEdits1800000002001,
    TaskGrants1800000002002,
    TwoPersonAdministration1800000002100,
    BreakGlass1800000002110,
    OverriddenCalls1800000002120,
    ApproverActivity1800000002200,
    PermitProposals1800000002210,
    PasskeyDecisions1800000002300,
    AuditStreamOutages1800000002400,
    SocketMode1800000002410,
    ChangesByTokens1800000002500,
    HybridSearch1800000002620,
    SourcePasses1800000002700,
    SourceRosters1800000002710,
    IndexPartitions1800000002720,
    DocumentLinks1800000002810,
    WebhookTokens1800000002820,
  ],
  /** Each one after those that it depends on. */
  repeatableMigrations: repeatableMigrationsIn(import.meta.url, [
    'platform/sql/enqueue-job.sql',
    'platform/sql/new-id.sql',
    'audit/sql/append-only.sql',
    'audit/sql/retention.sql',
    'tasks/sql/submit.sql',
    'tasks/sql/claim.sql',
    'tasks/sql/artifacts.sql',
    'tasks/sql/advance.sql',
    'tasks/sql/read.sql',
    'tasks/sql/outbox.sql',
    'tasks/sql/taint.sql',
    'mcp-sessions/sql/find-session.sql',
    'spend/sql/stale-units.sql',
    'spend/sql/slots.sql',
  ]),
};
