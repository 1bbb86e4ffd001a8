import type { Command } from 'commander';
import { InvitationsService } from '../access/invitations.service.js';
import { Vouches } from '../access/independence/vouches.service.js';
import { MembersService } from '../access/members.service.js';
import { PasswordsService } from '../access/passwords.service.js';
import { SetUpService } from '../access/set-up.service.js';
import { SignInService } from '../access/sign-in.service.js';
import type { Member } from '../access/member.entity.js';
import type { Tenant } from '../access/tenant.entity.js';
import { TenantsService } from '../access/tenants.service.js';
import { JobQuarantine, type QuarantinedJobOfAll } from '../jobs/job-quarantine.service.js';
import { Config } from '../platform/config/config.js';
import { notFound } from '../platform/errors/general.error.js';
import type { Role } from '../principal/permissions.js';
import { type Principal, systemPrincipal } from '../principal/principal.js';
import { forgetCredentials } from './forget.command.js';
import type { House, Surroundings } from './house.js';

interface Person {
  organization?: string;
  forgetPasskeys?: boolean;
}

/** Ways in for whoever stands before a locked door. Each is recorded in the organization's audit log. */
export function addAdminCommands(admin: Command, { say, openHouse }: Surroundings): void {
  const inside = async (run: (house: House) => Promise<string>) => {
    const house = await openHouse();
    try {
      say(await run(house));
    } finally {
      await house.close();
    }
  };

  admin
    .command('set-up-link')
    .description('a new link for the first organization, where there is none yet')
    .action(() =>
      inside(
        async (house) =>
          (await house.get(SetUpService).firstLink()) ??
          'There is an organization already; sign in, or use reset-link.',
      ),
    );

  admin
    .command('forget-credentials')
    .description('after the master key was lost: let go of what cannot be opened any more (stop the server first)')
    .action(async () => {
      for (const line of await forgetCredentials(Config.from())) say(line);
    });

  admin
    .command('vouch')
    .description(
      'state that a member alone can sign in to their account: they may then review calls of whoever invited them',
    )
    .argument('<e-mail>')
    .option('--organization <short name>', 'where there is more than one')
    .action((email: string, { organization }: Person) =>
      inside(async (house) => {
        const { principal, member } = await find(house, email, organization);
        await house.get(Vouches).vouch(principal, member.id);
        return `${member.name} may review calls that are requested from now on, as the approval steps say.`;
      }),
    );

  admin
    .command('invite')
    .description('an invitation from the operator (24 h, once): who comes by it depends on no other member')
    .argument('<e-mail>')
    .option('--organization <short name>', 'where there is more than one')
    .option('--admin', 'as an administrator')
    .action((email: string, given: Person & { admin?: boolean }) =>
      inside(async (house) => {
        const { principal } = await organizationOf(house, given.organization);
        const roles: Role[] = given.admin ? ['admin', 'member'] : ['member'];
        return (await house.get(InvitationsService).invite(principal, { email, roles })).url;
      }),
    );

  admin
    .command('jobs')
    .description('quarantined background jobs: processes ended while they ran, so they are not run again by themselves')
    .action(() =>
      inside(async (house) => {
        const jobs = await house.get(JobQuarantine).listAll();
        return jobs.length ? jobs.map(lineOf).join('\n') : 'No job is quarantined.';
      }),
    );

  admin
    .command('release-job')
    .description('run a quarantined job again; if another process ends while it runs, it is quarantined again')
    .argument('<id>', 'as `countersign admin jobs` names it')
    .action((id: string) =>
      inside(async (house) => {
        const quarantine = house.get(JobQuarantine);
        const job = (await quarantine.listAll()).find((each) => each.id === id);
        if (!job) throw notFound(`No job with the id ${id} is quarantined.`);
        await quarantine.release(job);
        return `${job.task} is released. A running server starts it within seconds.`;
      }),
    );

  for (const { name, description, options = [], issue } of ways) {
    const command = admin
      .command(name)
      .description(description)
      .argument('<e-mail>')
      .option('--organization <short name>', 'where there is more than one')
      .action((email: string, given: Person) =>
        inside(async (house) => {
          const { principal, member } = await find(house, email, given.organization);
          return (await issue(house, principal, member, given)).url;
        }),
      );
    for (const option of options) command.option(...option);
  }
}

const ways: {
  name: string;
  description: string;
  options?: [flag: string, description: string][];
  issue: (house: House, principal: Principal, member: Member, given: Person) => Promise<{ url: string }>;
}[] = [
  {
    name: 'reset-link',
    description: 'a link to choose a new password (24 h, once)',
    options: [['--forget-passkeys', 'take the passkeys away, too: they were lost']],
    issue: (house, principal, { id }, { forgetPasskeys = false }) =>
      house.get(PasswordsService).issueReset(principal, id, { forgetsPasskeys: forgetPasskeys }),
  },
  {
    name: 'sign-in-link',
    description: 'a link that signs a person in (24 h, once)',
    issue: (house, principal, { id }) => house.get(SignInService).issueLink(principal, id),
  },
];

const lineOf = ({ id, task, payload, key, organization, lostProcesses, quarantinedAt }: QuarantinedJobOfAll): string =>
  [
    id,
    task,
    key ?? JSON.stringify(payload),
    organization ?? '(installation)',
    `${lostProcesses} processes lost`,
    quarantinedAt.toISOString(),
  ].join('  ');

async function find(
  house: House,
  email: string,
  organization?: string,
): Promise<{ principal: Principal; member: Member }> {
  const { tenant, principal } = await organizationOf(house, organization);
  const { nodes } = await house.get(MembersService).list(principal, { first: 200 }, { search: email });
  const member = nodes.find((candidate) => candidate.email === email.trim().toLowerCase());
  if (!member) throw notFound(`Nobody in ${tenant.name} has the e-mail address ${email}.`);
  return { principal, member };
}

async function organizationOf(house: House, organization?: string): Promise<{ tenant: Tenant; principal: Principal }> {
  const tenant = await house.get(TenantsService).findForSignIn(organization);
  if (!tenant)
    throw notFound(
      organization
        ? `There is no organization "${organization}".`
        : 'Name the organization: --organization <short name>.',
    );
  return { tenant, principal: systemPrincipal(tenant.id, 'operator') };
}
