import { defineProblem } from '../../platform/errors/problem.js';

export const deviceBelongsToAnotherKey = defineProblem({
  code: 'device-belongs-to-another-key',
  status: 409,
  title: 'Device belongs to another key',
  explain:
    'The first key that uploads a device owns it, so that no other key can replace its inventory. Use that key, or choose another name for this device. An administrator can release the device on its page in the console. Revoked and expired keys own nothing.',
});
export const deviceSecretMismatch = defineProblem({
  code: 'device-secret-mismatch',
  status: 409,
  title: 'Device secret does not match',
  explain:
    'The device has already registered a secret. Send the same one in the header "Countersign-Device-Secret". If it is lost, for example after a reinstallation, an administrator can release the device on its page in the console.',
});
