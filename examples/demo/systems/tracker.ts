import { JiraSite, adfParagraphs } from '../../simulators/jira/jira-site.ts';
import { JiraSimulator } from '../../simulators/jira/simulator.ts';
import type { SystemAccount } from './systems.ts';

export interface Tracker {
  simulator: JiraSimulator;
  /** The account that the connection uses. */
  email: string;
  token: string;
}

/** Jira with a project for the staff, and a security level for its managers. */
export async function startTracker(port: number, accounts: SystemAccount[]): Promise<Tracker> {
  const site = new JiraSite();
  const { directory } = site;
  const reader = directory.addPerson('Countersign', { email: 'countersign@larkmoor.example' });
  const [ada, grace] = accounts.map(({ name, email }) => directory.addPerson(name, { email }));
  const staff = directory.addGroup('staff', [reader, ada, grace]);
  for (const permission of ['ADMINISTER', 'USER_PICKER'])
    site.globalPermissions.set(permission, new Set([reader.accountId]));
  site.applicationRoles.set('jira-software', [staff.groupId]);
  const line = site.addProject('LINE', 'Line 3', { leadAccountId: grace.accountId });
  site.setBrowsers(line, { type: 'group', value: staff.groupId, parameter: staff.name });
  const managers = site.addLevel(
    line,
    'Managers',
    ...[reader, grace].map(({ accountId }) => ({ type: 'user', value: accountId })),
  );

  const stop = site.addIssue(line, 'Line 3 stops at the torque check on cold mornings', {
    description: adfParagraphs(
      'Three stops in two weeks, each before 7 in the morning. Repeating the check after a few minutes helps.',
    ),
    status: 'In Progress',
    reporterId: ada.accountId,
    assigneeId: grace.accountId,
  });
  site.addComment(
    stop,
    grace.accountId,
    'Sensors 2 and 5 are cold. The firmware waits longer from the next release on.',
  );
  site.addIssue(line, 'Budget to replace the torque sensors of line 3', {
    description: adfParagraphs(
      'Six sensors and two days of downtime: 18,400 euros. Decide after the talks with Nordweld.',
    ),
    reporterId: grace.accountId,
    levelId: managers.id,
  });
  return {
    simulator: await JiraSimulator.start({ site, port }),
    email: reader.email,
    token: directory.issueToken(reader),
  };
}
