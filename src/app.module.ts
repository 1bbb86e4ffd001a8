import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { ValidationPipe } from '@nestjs/common';
import { A2aModule } from './a2a/a2a.module.js';
import { AccessModule } from './access/access.module.js';
import { AgentModule } from './agent/agent.module.js';
import { ApiModule } from './api/api.module.js';
import { ApprovalsModule } from './approvals/approvals.module.js';
import { AuditStreamsModule } from './audit-streams/audit-streams.module.js';
import { AuditModule } from './audit/audit.module.js';
import { CliModule } from './cli/cli.module.js';
import { ConfigurationsModule } from './configurations/configurations.module.js';
import { ConnectionsModule } from './connections/connections.module.js';
import { ConsoleModule } from './console/console.module.js';
import { entities } from './entities.js';
import { EstateModule } from './estate/estate.module.js';
import { GateModule } from './gate/gate.module.js';
import type { Config } from './platform/config/config.js';
import type { OpenDatabase } from './platform/database/open.js';
import { GovernanceReportsModule } from './governance-reports/governance-reports.module.js';
import { JobsModule } from './jobs/jobs.module.js';
import { LimitsModule } from './limits/limits.module.js';
import { McpClientModule } from './mcp-client/mcp-client.module.js';
import { McpSessionsModule } from './mcp-sessions/mcp-sessions.module.js';
import { McpModule } from './mcp/mcp.module.js';
import { KnowledgeModule } from './knowledge/knowledge.module.js';
import { createInputProblem } from './platform/graphql/format-error.js';
import { AdministrationGraphQL } from './platform/graphql/graphql.module.js';
import { PagesModule } from './platform/http/pages.module.js';
import { ProblemFilter } from './platform/http/problem.filter.js';
import { NotificationsModule } from './notifications/notifications.module.js';
import { OauthModule } from './oauth/oauth.module.js';
import { OrganizationModule } from './organization/organization.module.js';
import { PeopleModule } from './people/people.module.js';
import { PermitProposalsModule } from './permit-proposals/permit-proposals.module.js';
import { PoliciesModule } from './policies/policies.module.js';
import { PlatformModule } from './platform/platform.module.js';
import { CredentialGuard } from './principal/credential.guard.js';
import { PermissionGuard } from './principal/permission.guard.js';
import { SlackModule } from './slack/slack.module.js';
import { SpendModule } from './spend/spend.module.js';
import { TasksModule } from './tasks/tasks.module.js';
import { UpstreamAccountsModule } from './upstream-accounts/upstream-accounts.module.js';

/**
 * Ordered by layer from the bottom up, except A2A: Express matches routes in this order, and most requests are for
 * tasks.
 */
const featureModules = [
  A2aModule,
  AuditModule,
  LimitsModule,
  AccessModule,
  JobsModule,
  NotificationsModule,
  AuditStreamsModule,
  PeopleModule,
  ConnectionsModule,
  UpstreamAccountsModule,
  McpClientModule,
  KnowledgeModule,
  ApprovalsModule,
  PoliciesModule,
  ConfigurationsModule,
  GateModule,
  SlackModule,
  AgentModule,
  TasksModule,
  OauthModule,
  McpSessionsModule,
  ApiModule,
  CliModule,
  McpModule,
  SpendModule,
  EstateModule,
  PermitProposalsModule,
  GovernanceReportsModule,
  OrganizationModule,
  ConsoleModule,
];

@Module({})
export class AppModule {
  static with(config: Config, opened: OpenDatabase): DynamicModule {
    return {
      module: AppModule,
      imports: [PlatformModule.with(config, opened, entities), AdministrationGraphQL(), PagesModule, ...featureModules],
      providers: [
        { provide: APP_GUARD, useClass: CredentialGuard },
        { provide: APP_GUARD, useClass: PermissionGuard },
        { provide: APP_FILTER, useClass: ProblemFilter },
        {
          provide: APP_PIPE,
          useValue: new ValidationPipe({ whitelist: true, transform: true, exceptionFactory: createInputProblem }),
        },
      ],
    };
  }
}
