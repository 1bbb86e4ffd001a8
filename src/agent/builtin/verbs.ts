/** Verbs that request the same kind of action. A verb without a group never matches a tool; it needs an exact call. */
const groups: Record<string, string> = {
  create: 'create open file raise add make log submit register',
  send: 'send post write say publish announce notify message',
  comment: 'comment reply note',
  update: 'update change edit modify set rename',
  delete: 'delete remove drop erase wipe purge destroy',
  close: 'close resolve complete finish',
  reopen: 'reopen',
  assign: 'assign reassign',
  move: 'move transfer',
  archive: 'archive',
  invite: 'invite',
  grant: 'grant',
  revoke: 'revoke',
  approve: 'approve',
  reject: 'reject deny decline',
  merge: 'merge',
  start: 'start run trigger launch execute',
  stop: 'stop halt kill',
  restart: 'restart reboot',
  deploy: 'deploy release ship',
  rollback: 'rollback revert',
  cancel: 'cancel',
  schedule: 'schedule book',
  buy: 'buy order purchase pay refund',
  upload: 'upload attach import',
  enable: 'enable activate',
  disable: 'disable deactivate suspend pause',
  escalate: 'escalate',
  label: 'label tag mark',
  link: 'link',
  reset: 'reset rotate',
};
const readingGroups: Record<string, string> = {
  get: 'get show read fetch retrieve',
  list: 'list show',
  search: 'search find',
};

const index = (table: Record<string, string>) => {
  const byWord = new Map<string, string[]>();
  for (const [group, words] of Object.entries(table))
    for (const word of words.split(' ')) byWord.set(word, [...(byWord.get(word) ?? []), group]);
  return byWord;
};
const actionVerbs = index(groups);
const readVerbs = index(readingGroups);

/** The actions that a verb may request. Empty for unknown words. */
export const meanings = (word: string): string[] => [...(actionVerbs.get(word) ?? []), ...(readVerbs.get(word) ?? [])];

export const isActionVerb = (word: string) => actionVerbs.has(word);

export const singular = (word: string) =>
  word.length > 3
    ? word
        .replace(/(ch|sh|x|ss)es$/, '$1')
        .replace(/ies$/, 'y')
        .replace(/(?<!s)s$/, '')
    : word;
