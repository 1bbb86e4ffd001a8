import { nameOr, ReportTable } from './report-table.tsx';

export const Component = () => (
  <ReportTable by="model" label="Models" nameLabel="Model" nameOf={nameOr('Unknown model')} />
);
