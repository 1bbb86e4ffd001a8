import { randomBytes } from 'node:crypto';
import { RemoteAgent } from '../../external-agent/client.ts';
import { Browser } from '../browser.ts';
import type { Organization, Person } from '../organization.ts';
import { heading, row } from '../output.ts';
import { signedIn } from '../story.ts';
import type { Walk } from './walk.ts';

const accountOfMilo = { name: 'Milo Brandt', email: 'milo@larkmoor.example' };

const policies = `@id("reads")
permit (principal, action in Action::"read", resource);

@id("writes need one approval")
@approval("review")
permit (principal, action in [Action::"workplace__create_ticket", Action::"workplace__comment_ticket"], resource);

@id("messages need two approvals")
@approval("two-people")
permit (principal, action == Action::"workplace__post_message", resource);

@id("nothing destructive")
forbid (principal, action in Action::"destructive", resource);
`;

type Surroundings = Pick<
  Walk,
  'organization' | 'mailbox' | 'slack' | 'workplaceUrl' | 'folder' | 'isUnattended' | 'say'
> & {
  /** Runs a command of the operator's CLI. */
  operator: (args: string[]) => Promise<string>;
};

/** Adds a second approver, two approval steps and a Slack app, all through the administration API. */
export async function prepareWalk({ operator, ...surroundings }: Surroundings): Promise<Walk> {
  const { organization, mailbox, slack, say } = surroundings;
  say(heading('Preparations'));
  const milo = await inviteMilo(organization, operator);
  say(row('Second approver', `${milo.name}, invited by the operator`));
  const [ada, grace] = await Promise.all([organization.requester, organization.approver].map(participant));
  const walk = {
    ...surroundings,
    ada,
    grace,
    milo: await participant(milo),
    agent: new RemoteAgent(organization.a2aUrl, organization.key),
  };

  await saveStep(ada.browser, { name: 'review', decidableInSlack: true, allowsEdit: true });
  await saveStep(ada.browser, { name: 'two-people', quorum: 2 });
  await ada.browser.graphql('mutation ($input: PublishPolicyInput!) { publishPolicy(input: $input) { revision } }', {
    input: { configurationId: organization.configurationId, text: policies, note: 'Messages need two approvals.' },
  });
  say(row('Steps', 'review: one approval, also in Slack, arguments can be edited; two-people: two approvals'));
  say(row('Policy', 'reads allowed, tickets need “review”, messages need “two-people”, destructive calls denied'));

  await addSlackApp(walk);
  say(row('Mail', `${mailbox.url.padEnd(27)}all mailboxes of the company`));
  say(row('Slack', `${slack.url.padEnd(27)}simulated; ${grace.name} has linked her account`));
  return walk;

  async function participant(person: Person) {
    return { ...person, browser: await signedIn(organization.baseUrl, organization.slug, person) };
  }
}

/** The operator's invitation makes Milo independent of everybody, so that he can approve what Grace edited. */
async function inviteMilo({ baseUrl, slug }: Organization, operator: Surroundings['operator']): Promise<Person> {
  const password = randomBytes(18).toString('base64url');
  const link = await operator(['admin', 'invite', accountOfMilo.email, '--organization', slug, '--admin']);
  const browser = new Browser(baseUrl);
  await browser.submit(await browser.open(link), { name: accountOfMilo.name, password });
  return { ...accountOfMilo, password };
}

async function saveStep(ada: Browser, step: object): Promise<void> {
  await ada.graphql('mutation ($input: SaveApprovalStepInput!) { saveApprovalStep(input: $input) { name } }', {
    input: { tier: 'review', ...step },
  });
}

/** Grace adds the app, because calls of a member who knows its secrets are not decided in Slack, and links her account. */
async function addSlackApp({ grace: { browser }, slack }: Walk): Promise<void> {
  await browser.graphql(
    'mutation ($input: CreateNotificationChannelInput!) { createNotificationChannel(input: $input) { channel { id } } }',
    {
      input: {
        name: 'Slack',
        kind: 'slack',
        token: slack.token,
        slackSigningSecret: slack.signingSecret,
        slackChannel: slack.channel,
        sendsDirectMessages: true,
        kinds: ['approval_requested'],
        stepNames: ['review'],
      },
    },
  );
  const { slackSettings } = await browser.graphql<{ slackSettings: { requestUrl: string } }>(
    '{ slackSettings { requestUrl } }',
  );
  slack.requestUrl = slackSettings.requestUrl;
  await browser.graphql('mutation { requestSlackLink { isAvailable } }');
  await browser.graphql(
    'mutation ($input: LinkSlackAccountInput!) { linkSlackAccount(input: $input) { slackUserId } }',
    {
      input: { code: await slack.linkCode() },
    },
  );
}
