# Reads "sample,y,score,baseline" from standard input and writes what pROC says of each sample as
# JSON. Called by ask_proc.py, which keeps the answer in tests/reference/proc.json.
suppressPackageStartupMessages(library(pROC))

json <- function(x) {
  if (is.list(x)) {
    parts <- sprintf('"%s": %s', names(x), vapply(x, json, ""))
    return(paste0("{", paste(parts, collapse = ", "), "}"))
  }
  if (is.character(x)) return(sprintf('"%s"', x))
  # 15 digits: rounding in the last one or two depends on the machine.
  numbers <- formatC(as.numeric(x), digits = 15, format = "g", width = 1)
  if (length(numbers) == 1) numbers else paste0("[", paste(numbers, collapse = ", "), "]")
}

judged <- function(d) {
  curve <- function(x) roc(d$y, x, levels = c(0, 1), direction = "<", quiet = TRUE)
  first <- curve(d$score)
  second <- curve(d$baseline)
  compare <- function(side) {
    roc.test(first, second, method = "delong", paired = TRUE, alternative = side)
  }
  both <- compare("two.sided")
  out <- list(
    positives = sum(d$y), negatives = sum(1 - d$y),
    auc = auc(first), auc_baseline = auc(second),
    partial_auc = auc(first, partial.auc = c(1, 0.8)),
    variance = var(first, method = "delong"),
    covariance = cov(first, second, method = "delong"),
    ci_95 = ci.auc(first, method = "delong", conf.level = 0.95)[c(1, 3)],
    ci_90 = ci.auc(first, method = "delong", conf.level = 0.90)[c(1, 3)],
    gain_z = both$statistic, gain_p = both$p.value, gain_ci_95 = both$conf.int[1:2],
    gain_p_greater = compare("greater")$p.value, gain_p_less = compare("less")$p.value
  )
  if (nrow(d) <= 100) {
    out$sensitivity <- rev(first$sensitivities)
    out$specificity <- rev(first$specificities)
  }
  out
}

rows <- read.csv(file("stdin"))
names <- unique(rows$sample)
answers <- lapply(names, function(name) judged(rows[rows$sample == name, ]))
versions <- list(R = as.character(getRversion()), pROC = as.character(packageVersion("pROC")))
cat(json(c(versions, list(samples = setNames(answers, names)))), "\n")
