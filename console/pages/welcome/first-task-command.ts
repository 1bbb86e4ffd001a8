/** A shell command that sends the first task. Each run uses a new task id, so the command can run again. */
export const firstTaskCommand = ({
  a2aUrl,
  key,
  question,
}: {
  a2aUrl: string;
  key: string;
  question: string;
}): string => {
  const message = { role: 'user', parts: [{ text: question }] };
  return [
    `curl -sS '${a2aUrl}/tasks/send' \\`,
    `  -H 'Authorization: Bearer ${key}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '{"id":"first-'$(date +%s)'","message":${escapeSingleQuotes(JSON.stringify(message))}}'`,
  ].join('\n');
};

/** Escapes text for a single-quoted shell string. */
const escapeSingleQuotes = (text: string): string => text.replaceAll("'", `'\\''`);
