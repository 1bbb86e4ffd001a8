import { Anchor, Box, Code, List, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Section } from '../../kit/section.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { callStateName } from '../../features/tasks/states.ts';

interface Artifact {
  artifactId: string;
  name: string;
  description?: string;
  parts: Part[];
}
interface Part {
  text?: string;
  data?: unknown;
  /** A file: its content in base64, or its URL. */
  raw?: string;
  url?: string;
  filename?: string;
  mediaType?: string;
}
interface Citation {
  n: number;
  title: string;
  url?: string;
  source?: string;
  snippet?: string;
  position?: string;
}
interface ReceiptCall {
  callId: string;
  tool: string;
  outcome: string;
  url?: string;
}

/** The result of the task. All of it is text from a model or an external system. */
export const Artifacts = ({ artifacts }: { artifacts: unknown }) => (
  <Section title="Result">
    <Stack gap="lg">
      {(artifacts as Artifact[]).map((artifact) => (
        <ArtifactView key={artifact.artifactId} artifact={artifact} />
      ))}
    </Stack>
  </Section>
);

function ArtifactView({ artifact: { artifactId, name, description, parts } }: { artifact: Artifact }) {
  const citations = parts.flatMap(({ data }) => (isOfKind(data, 'citations') ? (data.citations as Citation[]) : []));
  const anchor = (n: number) => `citation-${artifactId}-${n}`;
  return (
    <Box>
      <Title order={3} mb={4}>
        <Untrusted text={description ?? name} />
      </Title>
      {parts.map((part, at) => {
        const { text, data } = part;
        if (text !== undefined)
          return (
            <Text key={at} className="task-words">
              <CitedText text={text} citations={citations} anchor={anchor} />
            </Text>
          );
        if (part.raw !== undefined || part.url !== undefined) return <File key={at} {...part} />;
        if (isOfKind(data, 'citations')) return <Citations key={at} citations={citations} anchor={anchor} />;
        if (isOfKind(data, 'receipt')) return <CallReceipt key={at} calls={data.calls as ReceiptCall[]} />;
        return (
          <Code key={at} block style={{ whiteSpace: 'pre-wrap' }} mt="xs">
            <Untrusted text={JSON.stringify(data, null, 2)} />
          </Code>
        );
      })}
    </Box>
  );
}

const isOfKind = (data: unknown, kind: string): data is Record<string, unknown> =>
  typeof data === 'object' && data !== null && (data as { kind?: unknown }).kind === kind;

interface CitedProps {
  text: string;
  citations: readonly Citation[];
  anchor(n: number): string;
}

/** The text. Each [n] links to its citation. */
function CitedText({ text, citations, anchor }: CitedProps) {
  const known = new Set(citations.map(({ n }) => n));
  return text.split(/(\[\d+\])/).map((piece, at): ReactNode => {
    const n = Number(/^\[(\d+)\]$/.exec(piece)?.[1]);
    return known.has(n) ? (
      <Anchor key={at} href={`#${anchor(n)}`} inherit underline="always" aria-label={`Citation ${n}`}>
        {piece}
      </Anchor>
    ) : (
      <Untrusted key={at} text={piece} />
    );
  });
}

const Citations = ({ citations, anchor }: Omit<CitedProps, 'text'>) => (
  <List listStyleType="none" spacing="sm" mt="sm" size="sm">
    {citations.map(({ n, title, url, source, snippet, position }) => (
      <List.Item key={n} id={anchor(n)}>
        <Text size="sm" fw={600} span>
          [{n}] <Untrusted text={title} />
        </Text>{' '}
        <Text size="sm" c="dimmed" span>
          <Untrusted text={[source, position].filter(Boolean).join(', ')} />
        </Text>
        {url && <ExternalLink url={url} />}
        {snippet && (
          <Text size="sm" c="dimmed" className="task-words" lineClamp={4}>
            <Untrusted text={snippet} />
          </Text>
        )}
      </List.Item>
    ))}
  </List>
);

const CallReceipt = ({ calls }: { calls: readonly ReceiptCall[] }) => (
  <List listStyleType="none" spacing={6} mt="sm" size="sm">
    {calls.map(({ callId, tool, outcome, url }) => (
      <List.Item key={callId}>
        <StateBadge state={outcome} label={callStateName(outcome)} />{' '}
        <Code>
          <Untrusted text={tool} />
        </Code>
        {url && <ExternalLink url={url} />}
      </List.Item>
    ))}
  </List>
);

/** A download link. The content is never rendered, because its media type is only a claim. */
const File = ({ raw, url, filename, mediaType }: Part) => (
  <Box mt="xs">
    {(url === undefined || filename || mediaType) && (
      <Text size="sm">
        {raw === undefined ? (
          <Untrusted text={filename ?? 'Unnamed file'} />
        ) : (
          <DownloadLink raw={raw} name={filename ?? 'file'} />
        )}{' '}
        <Text span c="dimmed">
          <Untrusted text={mediaType ?? ''} />
        </Text>
      </Text>
    )}
    {url !== undefined && <ExternalLink url={url} />}
  </Box>
);

const DownloadLink = ({ raw, name }: { raw: string; name: string }) => (
  <Anchor href={`data:application/octet-stream;base64,${raw}`} download={name} size="sm">
    <Untrusted text={name} />
  </Anchor>
);

/** An external URL. Only http(s) becomes a link, without a referrer. */
const ExternalLink = ({ url }: { url: string }) => (
  <Text size="sm">
    {/^https?:\/\//i.test(url) ? (
      <Anchor href={url} target="_blank" rel="noopener noreferrer" size="sm">
        <Untrusted text={url} />
      </Anchor>
    ) : (
      <Untrusted text={url} />
    )}
  </Text>
);
