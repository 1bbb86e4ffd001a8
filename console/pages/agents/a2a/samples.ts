/* Code samples: each reads the agent card, sends a task, then streams another task. */

export interface SampleTarget {
  /** The URL of the configuration, without a trailing slash. */
  url: string;
  /** The API key that is visible on the page; null: none. */
  apiKey: string | null;
}

const question = 'What can you help me with?';
/** `id` is a shell expression. */
const body = (id: string) => `'{"id":"'${id}'","message":{"role":"user","parts":[{"text":"${question}"}]}}'`;

export const curl = ({
  url,
  apiKey,
}: SampleTarget): string => `export COUNTERSIGN_KEY='${apiKey ?? 'cs_a2a_…'}'   # ${apiKey ? 'keep it secret' : 'an API key from this page'}

# read the agent card
curl -fsS ${url}/.well-known/agent.json \\
  -H "Authorization: Bearer $COUNTERSIGN_KEY"

# send a task; sending it again is safe
ID=try-$(date +%s)
curl -fsS ${url}/tasks/send \\
  -H "Authorization: Bearer $COUNTERSIGN_KEY" -H 'Content-Type: application/json' \\
  -d ${body('$ID')}

# send another task and stream its updates
curl -fsSN ${url}/tasks/sendSubscribe \\
  -H "Authorization: Bearer $COUNTERSIGN_KEY" -H 'Content-Type: application/json' \\
  -d ${body('$ID-stream')}
`;

export const python = ({ url, apiKey }: SampleTarget): string => `# Requires Python 3.8 or later, no packages
import json, os, time, urllib.request

AGENT = "${url}"
KEY = ${apiKey ? `"${apiKey}"  # keep it secret` : 'os.environ["COUNTERSIGN_KEY"]  # an API key from this page'}


def ask(path, body=None):
    request = urllib.request.Request(AGENT + path, json.dumps(body).encode() if body else None)
    request.add_header("Authorization", f"Bearer {KEY}")
    request.add_header("Content-Type", "application/json")
    return urllib.request.urlopen(request)


def task(name):
    return {"id": name, "message": {"role": "user", "parts": [{"text": "${question}"}]}}


# read the agent card
card = json.load(ask("/.well-known/agent.json"))
print(card["name"], [skill["id"] for skill in card["skills"]])

# send a task; sending it again is safe
name = f"try-{int(time.time())}"
print(json.load(ask("/tasks/send", task(name)))["status"]["state"])

# send another task and stream its updates
for line in ask("/tasks/sendSubscribe", task(f"{name}-stream")):
    if line.startswith(b"data:"):
        print(json.loads(line[5:])["status"]["state"])
`;

export const typescript = ({
  url,
  apiKey,
}: SampleTarget): string => `// Requires Node.js 22.18 or later, no packages: node try.ts
const agent = '${url}';
const key = ${apiKey ? `'${apiKey}'; // keep it secret` : 'process.env.COUNTERSIGN_KEY; // an API key from this page'}

const ask = async (path: string, body?: object) => {
  const response = await fetch(agent + path, {
    method: body ? 'POST' : 'GET',
    headers: { authorization: \`Bearer \${key}\`, 'content-type': 'application/json' },
    body: body && JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return response;
};
const task = (id: string) => ({ id, message: { role: 'user', parts: [{ text: '${question}' }] } });

// read the agent card
const card = await (await ask('/.well-known/agent.json')).json();
console.log(card.name, card.skills.map((skill: { id: string }) => skill.id));

// send a task; sending it again is safe
const name = \`try-\${Date.now()}\`;
const sent = await (await ask('/tasks/send', task(name))).json();
console.log(sent.status.state);

// send another task and stream its updates
const stream = await ask('/tasks/sendSubscribe', task(\`\${name}-stream\`));
let rest = '';
for await (const piece of stream.body!.pipeThrough(new TextDecoderStream())) {
  const lines = (rest + piece).split('\\n');
  rest = lines.pop()!;
  for (const line of lines)
    if (line.startsWith('data:')) console.log(JSON.parse(line.slice(5)).status.state);
}
`;
