import { Anchor, Button, FileButton, Group, Stack, Textarea } from '@mantine/core';
import { IconDownload, IconFileUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { useClient } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { type Problem, problemOf } from '../../api/problem.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Section } from '../../kit/section.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { listPreview, ListPreview, type Preview } from './list-preview.tsx';

const previewQuery = graphql(
  `
    query SpendListPreview($input: PreviewSpendPeopleImportInput!) {
      previewSpendPeopleImport(input: $input) {
        ...ListPreview
      }
    }
  `,
  [listPreview],
);
const applyList = graphql(`
  mutation ApplySpendList($input: ImportSpendPeopleInput!) {
    importSpendPeople(input: $input) {
      addedCount
      changedCount
    }
  }
`);

const template =
  'email;name;group;cost_centre;aliases\r\nada@example.com;Ada Lovelace;Platform;CC-1020;ada@old.example\r\n';
const templateAddress = `data:text/csv;charset=utf-8,${encodeURIComponent(template)}`;

/** Imports people with groups and cost centres from CSV, with a preview. */
export function Component() {
  const client = useClient();
  const [csv, setCsv] = useState('');
  const [preview, setPreview] = useState<Preview | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [isLoading, setLoading] = useState(false);

  const loadPreview = async (text: string) => {
    setCsv(text);
    setLoading(true);
    setProblem(null);
    const variables = { input: { csv: text } };
    const { data, error } = await client.query(previewQuery, variables, { requestPolicy: 'network-only' }).toPromise();
    setPreview(data?.previewSpendPeopleImport ?? null);
    setProblem(error ? problemOf(error) : null);
    setLoading(false);
  };
  const change = (text: string) => {
    setCsv(text);
    setPreview(null);
    setProblem(null);
  };
  const apply = useChange(applyList, {
    done: ({ importSpendPeople: { addedCount, changedCount } }) =>
      `List applied. Added: ${addedCount}, changed: ${changedCount}.`,
    onDone: () => change(''),
  });

  return (
    <>
      <Section
        title="People import"
        lead="Import people with groups and cost centres from a CSV file. People who are not in the file stay unchanged. You see a preview before changes apply."
        actions={<Downloads />}
      >
        <Stack>
          {problem && <ProblemNote problem={problem} />}
          <Textarea
            label="CSV"
            description="Choose a file or paste its content. Required column: “email”. Optional columns: “name”, “group”, “cost_centre”, “aliases”."
            autosize
            minRows={4}
            maxRows={10}
            ff="monospace"
            placeholder="email;name;group;cost_centre;aliases"
            value={csv}
            onChange={({ currentTarget }) => change(currentTarget.value)}
          />
          <Group>
            <FileButton
              accept=".csv,.txt,text/csv"
              onChange={(file) => void file?.text().then(loadPreview)}
              inputProps={{ 'aria-label': 'CSV file' }}
            >
              {(props) => (
                <Button {...props} variant="default" leftSection={<IconFileUpload size={16} aria-hidden />}>
                  Choose file
                </Button>
              )}
            </FileButton>
            <Button
              variant={preview ? 'default' : 'filled'}
              disabled={!csv.trim()}
              loading={isLoading}
              onClick={() => void loadPreview(csv)}
            >
              Preview changes
            </Button>
          </Group>
        </Stack>
      </Section>
      {preview && (
        <ListPreview
          preview={preview}
          problem={apply.problem}
          isApplying={apply.isSending}
          onApply={(skipsFaulty) => void apply.send({ input: { csv, hash: preview.hash, skipsFaulty } })}
          onRefresh={() => {
            apply.forget();
            void loadPreview(csv);
          }}
        />
      )}
    </>
  );
}

const Downloads = () => (
  <Group gap="xs">
    <Anchor href={templateAddress} download="people-template.csv" size="sm">
      Download template
    </Anchor>
    <Button
      component="a"
      href="/console/exports/people.csv"
      download
      variant="default"
      size="xs"
      leftSection={<IconDownload size={16} aria-hidden />}
    >
      Download current list
    </Button>
  </Group>
);
