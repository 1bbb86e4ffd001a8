import { Button } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useReportRange } from './use-report-range.ts';

type ReportFile = 'approval-steps' | 'approvers' | 'unviewed-decisions' | 'unmatched-policies' | 'unused-tools';

/** Downloads the complete list of the range as CSV. */
export function ExportButton({ file, of }: { file: ReportFile; of: string }) {
  const { from, to } = useReportRange();
  return (
    <Button
      component="a"
      href={`/console/exports/reports/${file}.csv?${new URLSearchParams({ from, to })}`}
      download
      variant="default"
      size="xs"
      leftSection={<IconDownload size={16} aria-hidden />}
      title="The export is recorded in the audit log."
      aria-label={`Export CSV: ${of}`}
    >
      Export CSV
    </Button>
  );
}
