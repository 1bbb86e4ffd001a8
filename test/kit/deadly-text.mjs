/*
 * For `node --import`: makes a marker text kill the process that parses it, like hostile input could. Only tests put
 * this text into a task, so a process dies when it works on that task.
 */
const parse = JSON.parse;
JSON.parse = (text, reviver) => {
  if (typeof text === 'string') {
    if (text.includes('deadly text')) process.kill(process.pid, 'SIGKILL');
    if (text.includes('endless text')) for (;;);
  }
  return parse(text, reviver);
};
