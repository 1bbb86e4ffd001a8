import { Box, Button, Group, Stack, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import type { Problem } from '../../../api/problem.ts';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Section } from '../../../kit/section.tsx';
import { Unsaved } from '../../../kit/unsaved.tsx';
import { faultOf, listFaultOf } from '../../../kit/use-change.tsx';
import { CallbackUrls } from './callback-urls.tsx';
import { ClientTypeFields } from './client-type-fields.tsx';
import type { ClientValues } from './client-values.ts';
import { TargetFields } from './target-fields.tsx';

interface Props {
  values: ClientValues;
  /** The type cannot change after creation. */
  isTypeFixed?: boolean;
  verb: string;
  problem: Problem | null;
  retry?: () => void;
  isSending: boolean;
  onSave(values: ClientValues): void;
  aside: ReactNode;
}

export function ClientForm({ values, isTypeFixed, verb, problem, retry, isSending, onSave, aside }: Props) {
  const form = useForm({ initialValues: values });
  const { redirectUris } = form.values;
  const fault = (field: string) => faultOf(problem, field);
  return (
    <Box component="form" maw="46rem" onSubmit={form.onSubmit(onSave)}>
      <Unsaved isDirty={form.isDirty()} />
      {problem && <ProblemNote problem={problem} retry={retry} />}
      <Section title="Product">
        <Stack>
          <TextInput
            label="Name"
            description="Shown to users when the product requests access."
            required
            {...form.getInputProps('name')}
            error={fault('name')}
          />
          <CallbackUrls
            value={redirectUris}
            onChange={(urls) => form.setFieldValue('redirectUris', urls)}
            fault={fault}
          />
        </Stack>
      </Section>
      <TargetFields form={form} fault={fault} />
      <ClientTypeFields form={form} fault={fault} isTypeFixed={isTypeFixed} />
      <Section title="Additional information" lead="Optional. Users also see the description and the logo.">
        <Stack>
          <Textarea
            label="Description"
            autosize
            minRows={2}
            {...form.getInputProps('description')}
            error={fault('description')}
          />
          <TextInput
            label="Logo URL"
            description="An https:// URL of an image."
            type="url"
            {...form.getInputProps('logoUrl')}
            error={fault('logoUrl')}
          />
          <TagsInput
            label="Contacts"
            description="Email addresses of the people who maintain the product."
            acceptValueOnBlur
            {...form.getInputProps('contacts')}
            error={listFaultOf(problem, 'contacts')}
          />
        </Stack>
      </Section>
      <Group>
        <Button type="submit" loading={isSending}>
          {verb}
        </Button>
        {aside}
      </Group>
    </Box>
  );
}
