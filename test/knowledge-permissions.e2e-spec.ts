import { MemorySource } from './kit/memory-source.js';
import { permissionContract } from './permission-contract.js';

permissionContract('memory', async () => {
  const source = new MemorySource('memory-contract');
  const people = {
    insider: 'ina@acme.example',
    colleague: 'cole@acme.example',
    outsider: 'otto@acme.example',
    guest: 'gust@partner.example',
  };
  for (const [name, email] of Object.entries(people))
    source.addAccount(`U-${name}`, email, { isGuest: name === 'guest' });
  source.addSpace('closed', { accounts: ['U-insider'], groups: ['team'] });
  source.addSpace('elsewhere', { accounts: ['U-outsider'] });
  source.addSpace('public', { isPublic: true });
  source.groups.set('team', new Set());
  source.addPage('parent', 'closed', 'A page above.');
  source.addPage('plan', 'closed', 'The zebrafish plan.', 'parent');
  source.addPage('news', 'public', 'The quokka news.');
  const closed = source.spaces.get('closed')!;
  return {
    connector: source.connector,
    settings: {},
    people,
    words: { closed: 'zebrafish', open: 'quokka' },
    grant: async (email) => void closed.accounts.add(source.accountOf(email)),
    revoke: async (email) => void closed.accounts.delete(source.accountOf(email)),
    grantByGroup: async (email) => void source.groups.get('team')!.add(source.accountOf(email)),
    leaveGroup: async (email) => void source.groups.get('team')!.delete(source.accountOf(email)),
    move: async () => source.edit('plan', { space: 'elsewhere', parent: null }),
    moveBack: async () => source.edit('plan', { space: 'closed', parent: 'parent' }),
    restrictAncestor: async (email) => {
      source.edit('parent', { restrictedTo: email ? new Set([source.accountOf(email)]) : null });
      source.edit('plan', {});
    },
    grantGuest: async () => void closed.accounts.add('U-guest'),
    leave: async (email) => void source.accounts.delete(source.accountOf(email)),
  };
});
