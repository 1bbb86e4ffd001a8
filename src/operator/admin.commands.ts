import type { Command } from 'commander';
import { InvitationsService } from '../access/invitations.service.js';
import { VouchesService } from '../access/independence/vouches.service.js';
import { MembersService } from '../access/members.service.js';
import { PasswordsService } from '../access/passwords.service.js';
import { SetUpService } from '../access/set-up.service.js';
import { SignInService } from '../access/sign-in.service.js';
import type { Member } from '../access/member.entity.js';
import type { Tenant } from '../access/tenant.entity.js';
import { TenantsService } from '../access/tenants.service.js';
import { JobQuarantineService, type OperatorQuarantinedJob } from '../jobs/job-quarantine.service.js';
import { Config } from '../platform/config/config.js';
import { notFound } from '../platform/errors/general.error.js';
import type { Role } from '../principal/permissions.js';
import { type Principal, systemPrincipal } from '../principal/principal.js';
import { forgetCredentials } from './forget-credentials.command.js';
import type { CommandApplication, CommandEnvironment } from './command-application.js';

interface MemberOptions {
  organization?: string;
  forgetPasskeys?: boolean;
}

/** Commands that restore access for locked-out members. Each is recorded in the organization's audit log. */
export function addAdminCommands(admin: Command, { print, openApplication }: CommandEnvironment): void {
  const withApplication = async (run: (app: CommandApplication) => Promise<string>) => {
    const app = await openApplication();
    try {
      print(await run(app));
    } finally {
      await app.close();
    }
  };

  admin
    .command('set-up-link')
    .description('print a new link to set up the first organization')
    .action(() =>
      withApplication(
        async (app) =>
          (await app.get(SetUpService).issueFirstLink()) ??
          'The first organization already exists. Sign in, or use reset-link.',
      ),
    );

  admin
    .command('forget-credentials')
    .description(
      'after the master key was lost: delete secrets that can no longer be decrypted (stop the server first)',
    )
    .action(async () => {
      for (const line of await forgetCredentials(Config.from())) print(line);
    });

  admin
    .command('vouch')
    .description(
      'state that only the member can sign in to their account; they may then review calls of the person who invited them',
    )
    .argument('<email>')
    .option('--organization <slug>', 'required if there is more than one')
    .action((email: string, { organization }: MemberOptions) =>
      withApplication(async (app) => {
        const { principal, member } = await findMember(app, email, organization);
        await app.get(VouchesService).vouch(principal, member.id);
        return `${member.name} may review calls requested from now on, as far as approval steps allow.`;
      }),
    );

  admin
    .command('invite')
    .description(
      'print an invitation from the operator (works once, for 24 h); the new member is independent of other members',
    )
    .argument('<email>')
    .option('--organization <slug>', 'required if there is more than one')
    .option('--admin', 'as an administrator')
    .action((email: string, given: MemberOptions & { admin?: boolean }) =>
      withApplication(async (app) => {
        const { principal } = await organizationOf(app, given.organization);
        const roles: Role[] = given.admin ? ['admin', 'member'] : ['member'];
        return (await app.get(InvitationsService).invite(principal, { email, roles })).url;
      }),
    );

  admin
    .command('jobs')
    .description(
      'list quarantined background jobs: processes ended while they ran, so they are not retried automatically',
    )
    .action(() =>
      withApplication(async (app) => {
        const jobs = await app.get(JobQuarantineService).listAll();
        return jobs.length ? jobs.map(formatJob).join('\n') : 'No quarantined jobs.';
      }),
    );

  admin
    .command('release-job')
    .description('run a quarantined job again; if another process ends while it runs, it is quarantined again')
    .argument('<id>', 'from `countersign-operator admin jobs`')
    .action((id: string) =>
      withApplication(async (app) => {
        const quarantine = app.get(JobQuarantineService);
        const job = (await quarantine.listAll()).find((each) => each.id === id);
        if (!job)
          throw notFound(`No quarantined job has the id ${id}. List them with "countersign-operator admin jobs".`);
        await quarantine.release(job);
        return `${job.task} is released. A running server starts it within seconds.`;
      }),
    );

  for (const { name, description, options = [], issue } of linkCommands) {
    const command = admin
      .command(name)
      .description(description)
      .argument('<email>')
      .option('--organization <slug>', 'required if there is more than one')
      .action((email: string, given: MemberOptions) =>
        withApplication(async (app) => {
          const { principal, member } = await findMember(app, email, given.organization);
          return (await issue(app, principal, member, given)).url;
        }),
      );
    for (const option of options) command.option(...option);
  }
}

const linkCommands: {
  name: string;
  description: string;
  options?: [flag: string, description: string][];
  issue: (
    app: CommandApplication,
    principal: Principal,
    member: Member,
    given: MemberOptions,
  ) => Promise<{ url: string }>;
}[] = [
  {
    name: 'reset-link',
    description: 'print a link to set a new password (works once, for 24 h)',
    options: [['--forget-passkeys', 'also remove the passkeys, because they were lost']],
    issue: (app, principal, { id }, { forgetPasskeys = false }) =>
      app.get(PasswordsService).issueReset(principal, id, { removesPasskeys: forgetPasskeys }),
  },
  {
    name: 'sign-in-link',
    description: 'print a link that signs a person in (works once, for 24 h)',
    issue: (app, principal, { id }) => app.get(SignInService).issueLink(principal, id),
  },
];

const formatJob = ({
  id,
  task,
  payload,
  key,
  organization,
  lostProcesses,
  quarantinedAt,
}: OperatorQuarantinedJob): string =>
  [
    id,
    task,
    key ?? JSON.stringify(payload),
    organization ?? '(installation)',
    `${lostProcesses} processes lost`,
    quarantinedAt.toISOString(),
  ].join('  ');

async function findMember(
  app: CommandApplication,
  email: string,
  organization?: string,
): Promise<{ principal: Principal; member: Member }> {
  const { tenant, principal } = await organizationOf(app, organization);
  const { nodes } = await app.get(MembersService).list(principal, { first: 200 }, { search: email });
  const member = nodes.find((candidate) => candidate.email === email.trim().toLowerCase());
  if (!member) throw notFound(`No member of ${tenant.name} has the email address ${email}.`);
  return { principal, member };
}

async function organizationOf(
  app: CommandApplication,
  organization?: string,
): Promise<{ tenant: Tenant; principal: Principal }> {
  const tenants = app.get(TenantsService);
  const tenant = await tenants.findForSignIn(organization);
  if (!tenant) {
    if (organization) throw notFound(`There is no organization "${organization}".`);
    if (await tenants.hasAny())
      throw notFound('There is more than one organization. Choose one with --organization <slug>.');
    throw notFound(
      'There is no organization yet. "countersign-operator admin set-up-link" prints a link to set it up.',
    );
  }
  return { tenant, principal: systemPrincipal(tenant.id, 'operator') };
}
