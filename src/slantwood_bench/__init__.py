"""The study of the paper, and where slantwood stands in it: methods, data sets, jobs, tables, figures."""
