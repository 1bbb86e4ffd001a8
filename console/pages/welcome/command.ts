/** A first task, to be pasted into a shell as it is. The id is another one each time, so that it may be sent again. */
export const firstTask = ({ a2aUrl, key, question }: { a2aUrl: string; key: string; question: string }): string => {
  const message = { role: 'user', parts: [{ text: question }] };
  return [
    `curl -sS '${a2aUrl}/tasks/send' \\`,
    `  -H 'Authorization: Bearer ${key}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{"id":"first-'$(date +%s)'","message":${quoted(JSON.stringify(message))}}'`,
  ].join('\n');
};

/** Within single quotes of a shell. */
const quoted = (text: string): string => text.replaceAll("'", `'\\''`);
