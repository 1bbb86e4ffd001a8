import { GithubSimulator } from '../../simulators/github/github-simulator.ts';
import type { SystemAccount } from './systems.ts';

const torqueLimits = `/** Limits of the torque check that every gripper passes before a shift. */
export const torqueLimits = {
  /** Newton metres by which two sensors may differ. */
  tolerance: 0.15,
  /** Sensors drift while they are cold: the check waits this long after power-on. */
  warmUpSeconds: 90,
};
`;

const torqueGuide = `# The torque check of line 3

Every gripper passes the torque check before a shift. It compares six sensors and stops the line if two of them differ by more than 0.15 Nm.

After a cold start the sensors drift. Wait for the warm-up of 90 seconds before you repeat the check; a second failure needs a recalibration.
`;

/** GitHub with a repository for the whole organization and one for its managers. */
export async function startCodeHost(port: number, token: string, accounts: SystemAccount[]): Promise<GithubSimulator> {
  const simulator = await GithubSimulator.start({ port });
  const { world, credentials } = simulator;
  const larkmoor = world.addOrganization('larkmoor');
  const [ada, grace] = accounts.map(({ name, email }) => {
    const user = world.addUser(email.split('@')[0], { name, verifiedEmails: { larkmoor: [email] } });
    world.setMember(larkmoor, user, 'member');
    return user;
  });
  const reader = world.addUser('countersign-reader');
  world.setMember(larkmoor, reader, 'admin');
  credentials.addToken(reader, { value: token }).permissions.issues = 'write';

  const firmware = world.addRepository(larkmoor, 'gripper-firmware', { visibility: 'internal' });
  world.push(firmware, { 'docs/torque-check.md': torqueGuide, 'src/torque-limits.ts': torqueLimits });
  const issue = world.addIssue(firmware, ada, 'Torque check stops line 3 after a cold start', {
    body: 'On Monday mornings two of the six torque sensors differ by 0.2 Nm until they are warm, and the check stops the line.',
  });
  world.addComment(
    firmware,
    issue,
    grace,
    'The warm-up of 90 seconds is too short below 12 °C. Can we measure instead?',
  );
  const pull = world.addPull(firmware, ada, 'Wait for the torque sensors of line 3 to settle', {
    body: `Fixes #${issue.number}. Ends the warm-up when ten readings in a row agree, after five minutes at most.`,
  });
  world.addReview(firmware, pull, grace, 'APPROVED', 'Tested on line 3 at 8 °C: settled after 140 seconds.');

  const suppliers = world.addRepository(larkmoor, 'supplier-contracts');
  world.setCollaborator(suppliers, grace, 'write');
  world.addIssue(suppliers, grace, 'Claim for the torque sensors of line 3', {
    body: 'Nordweld offers 30 percent of the price back if we keep the sensors. Not public before the contract is signed.',
  });
  return simulator;
}
