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

/** Ways in for whoever stands before a locked door. Each is recorded in the organization's audit log. */
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
    .description('a new link for the first organization, where there is none yet')
    .action(() =>
      withApplication(
        async (app) =>
          (await app.get(SetUpService).issueFirstLink()) ??
          'There is an organization already; sign in, or use reset-link.',
      ),
    );

  admin
    .command('forget-credentials')
    .description('after the master key was lost: let go of what cannot be opened any more (stop the server first)')
    .action(async () => {
      for (const line of await forgetCredentials(Config.from())) print(line);
    });

  admin
    .command('vouch')
    .description(
      'state that a member alone can sign in to their account: they may then review calls of whoever invited them',
    )
    .argument('<e-mail>')
    .option('--organization <short name>', 'where there is more than one')
    .action((email: string, { organization }: MemberOptions) =>
      withApplication(async (app) => {
        const { principal, member } = await findMember(app, email, organization);
        await app.get(VouchesService).vouch(principal, member.id);
        return `${member.name} may review calls that are requested from now on, as the approval steps say.`;
      }),
    );

  admin
    .command('invite')
    .description('an invitation from the operator (24 h, once): who comes by it depends on no other member')
    .argument('<e-mail>')
    .option('--organization <short name>', 'where there is more than one')
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
    .description('quarantined background jobs: processes ended while they ran, so they are not run again by themselves')
    .action(() =>
      withApplication(async (app) => {
        const jobs = await app.get(JobQuarantineService).listAll();
        return jobs.length ? jobs.map(formatJob).join('\n') : 'No job is quarantined.';
      }),
    );

  admin
    .command('release-job')
    .description('run a quarantined job again; if another process ends while it runs, it is quarantined again')
    .argument('<id>', 'as `countersign admin jobs` names it')
    .action((id: string) =>
      withApplication(async (app) => {
        const quarantine = app.get(JobQuarantineService);
        const job = (await quarantine.listAll()).find((each) => each.id === id);
        if (!job) throw notFound(`No job with the id ${id} is quarantined.`);
        await quarantine.release(job);
        return `${job.task} is released. A running server starts it within seconds.`;
      }),
    );

  for (const { name, description, options = [], issue } of linkCommands) {
    const command = admin
      .command(name)
      .description(description)
      .argument('<e-mail>')
      .option('--organization <short name>', 'where there is more than one')
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
    description: 'a link to choose a new password (24 h, once)',
    options: [['--forget-passkeys', 'take the passkeys away, too: they were lost']],
    issue: (app, principal, { id }, { forgetPasskeys = false }) =>
      app.get(PasswordsService).issueReset(principal, id, { removesPasskeys: forgetPasskeys }),
  },
  {
    name: 'sign-in-link',
    description: 'a link that signs a person in (24 h, once)',
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
  if (!member) throw notFound(`Nobody in ${tenant.name} has the e-mail address ${email}.`);
  return { principal, member };
}

async function organizationOf(
  app: CommandApplication,
  organization?: string,
): Promise<{ tenant: Tenant; principal: Principal }> {
  const tenant = await app.get(TenantsService).findForSignIn(organization);
  if (!tenant)
    throw notFound(
      organization
        ? `There is no organization "${organization}".`
        : 'Name the organization: --organization <short name>.',
    );
  return { tenant, principal: systemPrincipal(tenant.id, 'operator') };
}
