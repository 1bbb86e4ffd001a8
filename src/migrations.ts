import { AccessTables1790000000100 } from './access/migrations/access-tables.js';
import { SignInWays1790000001100 } from './access/migrations/sign-in-ways.js';
import { AuditFilters1790000001341 } from './audit/migrations/audit-filters.js';
import { AuditTables1790000000200 } from './audit/migrations/audit-tables.js';
import { ApprovalTables1790000000500 } from './approvals/migrations/approval-tables.js';
import { ConnectionChanges1790000001401 } from './connections/migrations/connection-changes.js';
import { EarlierDecisions1790000001340 } from './approvals/migrations/earlier-decisions.js';
import { ToolConfirmations1790000001402 } from './connections/migrations/tool-confirmations.js';
import { StdioChildren1790000001260 } from './connections/migrations/stdio-children.js';
import { ConnectionsTables1790000000300 } from './connections/migrations/connections-tables.js';
import { ToolOperations1790000001120 } from './connections/migrations/tool-operations.js';
import { ConnectionAccounts1790000001240 } from './connections/migrations/connection-accounts.js';
import { CallRefs1790000000801 } from './gate/migrations/call-refs.js';
import { GateTables1790000000800 } from './gate/migrations/gate-tables.js';
import { KnowledgeTables1790000000400 } from './knowledge/migrations/knowledge-tables.js';
import { AdvanceTogether1790000000902 } from './tasks/migrations/advance-together.js';
import { TaskFunctions1790000000901 } from './tasks/migrations/task-functions.js';
import { TasksOfMember1790000001342 } from './tasks/migrations/tasks-of-member.js';
import { OutboxLookUp1790000001111 } from './tasks/migrations/outbox-look-up.js';
import { TaskOutbox1790000001110 } from './tasks/migrations/task-outbox.js';
import { TasksTables1790000000900 } from './tasks/migrations/tasks-tables.js';
import { ConfigurationTables1790000000700 } from './configurations/migrations/configuration-tables.js';
import { ConfigurationRevisions1790000001410 } from './configurations/migrations/configuration-revisions.js';
import { UnprefixedNames1790000001230 } from './configurations/migrations/unprefixed-names.js';
import { PolicyTables1790000000600 } from './policies/migrations/policy-tables.js';
import { McpSessionTables1790000001200 } from './mcp-sessions/migrations/mcp-session-tables.js';
import { OauthClients1790000001000 } from './oauth/clients/migrations/oauth-clients.js';
import { OauthRows1790000001010 } from './oauth/migrations/oauth-rows.js';
import { OauthConsents1790000001020 } from './oauth/migrations/oauth-consents.js';
import { OauthSigningKeys1790000001025 } from './oauth/migrations/oauth-signing-keys.js';
import { PlatformTables1790000000000 } from './platform/database/migrations.js';
import { IdempotentRequests1790000001030 } from './platform/idempotency/migration.js';
import { EstateTables1790000001320 } from './estate/migrations/estate-tables.js';
import { FindingsTables1790000001321 } from './estate/migrations/findings-tables.js';
import { SuspectJobs1790000001591 } from './platform/queue/migrations.js';
import { BulkRole1790000001580 } from './spend/migrations/bulk-role.js';
import { BudgetTables1790000001312 } from './spend/migrations/budget-tables.js';
import { PseudonymKeys1790000001412 } from './spend/migrations/pseudonym-keys.js';
import { PullTables1790000001302 } from './spend/migrations/pull-tables.js';
import { RollupTables1790000001310 } from './spend/migrations/rollup-tables.js';
import { SlotsByTrigger1790000001411 } from './spend/migrations/slots-by-trigger.js';
import { DelegatedCalls1790000001420 } from './gate/migrations/delegated-calls.js';
import { TaskDelegations1790000001421 } from './tasks/migrations/task-delegations.js';
import { TaskChunks1790000001431 } from './tasks/migrations/task-chunks.js';
import { TaskContexts1790000001432 } from './tasks/migrations/task-contexts.js';
import { RemoteDelegations1790000001433 } from './tasks/migrations/remote-delegations.js';
import { ForeignOutcomes1790000001541 } from './gate/migrations/foreign-outcomes.js';
import { TaskTaint1790000001540 } from './tasks/migrations/task-taint.js';
import { TaskQuarantine1790000001590 } from './tasks/migrations/task-quarantine.js';
import { TaskReplies1790000001570 } from './tasks/migrations/task-replies.js';
import { TasksSaid1790000001434 } from './tasks/migrations/tasks-said.js';
import { DeviceBinding1790000001560 } from './estate/migrations/device-binding.js';
import { SealedTasks1790000001561 } from './tasks/migrations/sealed-tasks.js';
import { AuthorizationServerPins1790000001562 } from './connections/migrations/authorization-server-pins.js';
import { PendingAuthorizationServers1790000001563 } from './connections/migrations/pending-authorization-servers.js';
import { SpendTables1790000001300 } from './spend/migrations/spend-tables.js';
import { IndependenceTables1790000001550 } from './access/migrations/independence-tables.js';
import { ApprovalDeciders1790000001551 } from './approvals/migrations/approval-deciders.js';
import { ClientChanges1790000001552 } from './oauth/clients/migrations/client-changes.js';

import { KnowledgeQuarantine1790000001521 } from './knowledge/migrations/knowledge-quarantine.js';
import { QuarantinedFiles1790000001520 } from './estate/migrations/quarantined-files.js';

/** Every migration, oldest first. */
export const migrations = [
  PlatformTables1790000000000,
  AccessTables1790000000100,
  AuditTables1790000000200,
  ConnectionsTables1790000000300,
  KnowledgeTables1790000000400,
  ApprovalTables1790000000500,
  PolicyTables1790000000600,
  ConfigurationTables1790000000700,
  GateTables1790000000800,
  CallRefs1790000000801,
  TasksTables1790000000900,
  TaskFunctions1790000000901,
  AdvanceTogether1790000000902,
  OauthClients1790000001000,
  OauthRows1790000001010,
  OauthConsents1790000001020,
  OauthSigningKeys1790000001025,
  IdempotentRequests1790000001030,
  SignInWays1790000001100,
  TaskOutbox1790000001110,
  OutboxLookUp1790000001111,
  ToolOperations1790000001120,
  McpSessionTables1790000001200,
  UnprefixedNames1790000001230,
  ConnectionAccounts1790000001240,
  StdioChildren1790000001260,
  SpendTables1790000001300,
  PullTables1790000001302,
  RollupTables1790000001310,
  BudgetTables1790000001312,
  EstateTables1790000001320,
  FindingsTables1790000001321,
  EarlierDecisions1790000001340,
  AuditFilters1790000001341,
  TasksOfMember1790000001342,
  ConnectionChanges1790000001401,
  ToolConfirmations1790000001402,
  ConfigurationRevisions1790000001410,
  SlotsByTrigger1790000001411,
  PseudonymKeys1790000001412,
  DelegatedCalls1790000001420,
  TaskDelegations1790000001421,
  TaskChunks1790000001431,
  TaskContexts1790000001432,
  RemoteDelegations1790000001433,
  TasksSaid1790000001434,
  QuarantinedFiles1790000001520,
  KnowledgeQuarantine1790000001521,
  TaskTaint1790000001540,
  ForeignOutcomes1790000001541,
  IndependenceTables1790000001550,
  ApprovalDeciders1790000001551,
  ClientChanges1790000001552,
  DeviceBinding1790000001560,
  SealedTasks1790000001561,
  AuthorizationServerPins1790000001562,
  PendingAuthorizationServers1790000001563,
  BulkRole1790000001580,
  TaskReplies1790000001570,
  TaskQuarantine1790000001590,
  SuspectJobs1790000001591,
];
