/*
 * For `node --import`: text that ends the process that parses it, as a stranger's could. Only what a test puts into a task has
 * such text, so a process dies when it has that task in hand.
 */
const parse = JSON.parse;
JSON.parse = (text, reviver) => {
  if (typeof text === 'string') {
    if (text.includes('deadly text')) process.kill(process.pid, 'SIGKILL');
    if (text.includes('endless text')) for (;;);
  }
  return parse(text, reviver);
};
