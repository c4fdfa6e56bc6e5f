/** The shipped decisions on a virtual clock. */
export {
  type SubsettingCheck,
  type SubsettingRow,
  type SubsettingTable,
  type SubsettingTableOptions,
  subsettingTable,
} from './subsetting-table.js';
