import type { Configuration, Me, Task } from './countersign.ts';

const escaped = (text: string) => text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

export function page(title: string, body: string, { refresh = false } = {}): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${refresh ? '<meta http-equiv="refresh" content="1">' : ''}
<title>${escaped(title)} · Shift board</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem; color: #1c2733; }
  button, .button { font: inherit; padding: .5rem 1rem; border: 0; border-radius: .4rem; background: #0b6b50; color: #fff; text-decoration: none; }
  textarea, select { font: inherit; width: 100%; box-sizing: border-box; margin: .25rem 0 1rem; padding: .5rem; }
  pre { white-space: pre-wrap; background: #eef3f1; padding: 1rem; border-radius: .4rem; }
  li { margin: .4rem 0; }
</style>
<h1>Shift board</h1>
${body}
</html>`;
}

export const welcome = (): string =>
  page(
    'Welcome',
    `<p>An example product. With your consent it acts on your behalf at Countersign.</p>
<p><a class="button" href="/sign-in">Sign in with Countersign</a></p>`,
  );

const ask = (configurations: Configuration[], key: string): string =>
  `<form method="post" action="/tasks">
  <input type="hidden" name="key" value="${escaped(key)}">
  <label>Configuration <select name="configuration">${configurations
    .map(({ id, name }) => `<option value="${escaped(id)}">${escaped(name)}</option>`)
    .join('')}</select></label>
  <label>Request <textarea name="text" rows="3" required>How many working days does the security check of new software take?</textarea></label>
  <button>Start task</button>
</form>`;

export const home = (me: Me, configurations: Configuration[], tasks: Task[], key: string): string =>
  page(
    'Home',
    `<p>${escaped(me.member.name)} of ${escaped(me.organization.name)}. Granted scopes: ${escaped(me.scopes.join(', '))}.</p>
<h2>New task</h2>
${configurations.length ? ask(configurations, key) : '<p>No configurations yet. Ask an administrator to give one of your groups access to a configuration.</p>'}
<h2>Your tasks</h2>
<ul>${tasks.map(({ id, status }) => `<li><a href="/tasks/${encodeURIComponent(id)}">${escaped(id)}</a> ${escaped(status.state)}</li>`).join('') || '<li>No tasks yet.</li>'}</ul>
<form method="post" action="/sign-out"><button>Sign out</button></form>`,
  );

export function task({ id, status, artifacts }: Task): string {
  const parts = (artifacts ?? []).flatMap((artifact) => artifact.parts);
  const texts = parts.flatMap((part) => ('text' in part ? [part.text] : []));
  const isMoving = ['submitted', 'working'].includes(status.state);
  const said = (status.message?.parts ?? []).map(({ text }) => text);
  return page(
    'Task',
    `<p>Task ${escaped(id)}: <strong>${escaped(status.state)}</strong></p>
${[...said, ...texts].map((text) => `<pre>${escaped(text)}</pre>`).join('')}
<p><a href="/">Back</a></p>`,
    { refresh: isMoving },
  );
}

export const refused = (message: string): string =>
  page('Request failed', `<p>${escaped(message)}</p><p><a href="/">Back</a></p>`);
